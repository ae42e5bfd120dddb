// SPDX-License-Identifier: Apache-2.0
//
// Plans convolutions, and holds what their chunks share: staging inputs and weights for the lanes, and storing results.
#include "loops/convolutions/convolution.h"

#include <algorithm>
#include <cstring>

#include "base/bfloat16_unit.h"
#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/convolutions/convolution_plan.h"
#include "loops/moves/copy.h"
#include "loops/products/matmul.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::convolutions {
namespace {

constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

// Channels that are staged or stored together: a cache line of them where they are neighbours in memory.
constexpr int64_t kChannelsTogether = 16;

constexpr int64_t kDenseResults = 256;
constexpr int64_t kDenseOutputs = 128;
constexpr int64_t kFewestOutputs = 28;
constexpr int64_t kChannelResults = 1024;
constexpr int64_t kChannelsStored = 32;
constexpr int64_t kTransposedResults = 256;
constexpr int64_t kFewestResults = 64;
constexpr int64_t kChannelElements = 1 << 16;  // elements of the image for the results of a chunk
constexpr int64_t kChunksWanted = 4;           // each chunk packs the image once more

int32_t RunConvolution(const exec::RunContext& context) {
  const ConvolutionPlan& plan = context.Parameters<ConvolutionPlan>();
  const auto address = [&](const ConvolvedTensor& tensor) {
    return tensor.operand < 0 ? nullptr : context.Address(tensor.operand) + tensor.offset;
  };
  ConvolutionTask task{.plan = plan,
                       .input = address(plan.input),
                       .weight = address(plan.weight),
                       .bias = address(plan.bias),
                       .output = address(plan.output),
                       .from = plan.input};
  const PoolMemory input(plan.stages_input ? ElementsOf(plan) * plan.staged_bytes : 0);
  const int64_t outputs = plan.about.groups * plan.outputs;
  const PoolMemory weights(plan.stages_weights ? outputs * plan.inputs * plan.Kernel() * kFloatBytes : 0);
  const PoolMemory first_taps(plan.Phases() * static_cast<int64_t>(sizeof(int64_t)));
  auto* const firsts = first_taps.As<int64_t>();
  int64_t taps = 0;
  for (int64_t number = 0; number < plan.Phases(); ++number) {
    firsts[number] = taps;
    taps += plan.PhaseNumber(number).Taps();
  }
  task.first_taps = firsts;
  if (plan.stages_input) {
    StageInput(plan, task.input, input.As());
    task.input = input.As();
    task.from = StagedInput(plan);
  }
  task.weights = reinterpret_cast<const float*>(task.weight);
  if (plan.stages_weights) {
    StageWeights(plan, task.weight, firsts, weights.As());
    task.weights = weights.As<float>();
  }
  const PoolMemory panels(
      plan.by_pixel ? plan.about.groups * plan.PaddedOutputs() * plan.inputs * plan.Kernel() * kFloatBytes : 0);
  if (plan.by_pixel) {
    StagePanels(plan, plan.stages_weights ? weights.As() : task.weight, firsts, panels.As<float>());
    task.weights = panels.As<float>();
  }
  const auto run = plan.blocks != nullptr ? RunByBlock
                   : plan.by_pixel        ? RunByPixel
                   : plan.by_plane        ? RunByPlane
                   : plan.by_channel      ? RunByChannel
                                          : RunByPanel;
  run(task);
  return 0;
}

// The last `axes` axes of the tensor are the convolved ones.
ConvolvedTensor TensorOf(const exec::PlanBuilder& builder, int operand, int axes) {
  const View view = moves::PlainView(builder, operand);
  ConvolvedTensor tensor{.operand = operand, .bytes = static_cast<int64_t>(ElementBytes(view.dtype))};
  tensor.offset = (view.offset - builder.OperandView(operand).offset) * tensor.bytes;
  if (view.rank > 1) tensor.batch = view.strides[0] * tensor.bytes;
  tensor.channel = view.strides[view.rank > 1 ? 1 : 0] * tensor.bytes;
  for (int i = 0; i < axes; ++i)
    tensor.axis[kConvolvedAxes - axes + i] = view.strides[view.rank - axes + i] * tensor.bytes;
  return tensor;
}

// Whether an axis has no kernel, stride or padding.
bool IsPlain(const ConvolvedAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.before == 0 && axis.input == axis.output;
}

// Joins neighbouring plain axes where strides allow it.
void JoinAxes(ConvolutionPlan* plan) {
  ConvolvedAxis* const axis = plan->about.axis;
  for (int i = kConvolvedAxes - 1; i-- > 0;) {
    const bool is_row = axis[i].input == 1 && IsPlain(axis[i]);
    const auto runs_on = [&](const ConvolvedTensor& tensor) {
      return tensor.axis[i] == axis[2].input * tensor.axis[2];
    };
    if (is_row) continue;
    if (!IsPlain(axis[i]) || !IsPlain(axis[2]) || !runs_on(plan->input) || !runs_on(plan->output)) return;
    axis[2].input = axis[2].output *= axis[i].input;
    axis[i] = {};
  }
}

bool WeightsAreDense(const ConvolutionPlan& plan) {
  const ConvolvedTensor& weight = plan.weight;
  int64_t step = kFloatBytes;
  const auto follows = [&](int64_t stride, int64_t size) {
    const bool fits = size == 1 || stride == step;
    step *= size;
    return fits;
  };
  const ConvolvedAxis* const axis = plan.about.axis;
  bool is_dense = plan.load_weight->steps == 0 && !plan.about.transposed;
  for (int i = kConvolvedAxes; i-- > 0;) is_dense &= follows(weight.axis[i], axis[i].kernel);
  is_dense &= follows(weight.channel, plan.inputs);
  is_dense &= follows(weight.batch, plan.outputs);
  return is_dense && follows(plan.weight_group, plan.about.groups);
}

void CutConvolution(ConvolutionPlan* plan) {
  const Phase largest = plan->PhaseNumber(0);
  const int64_t results = largest.Results();
  if (plan->blocks != nullptr) return CutBlocks(plan);
  if (plan->by_pixel) return CutPixels(plan);
  if (plan->by_channel) {
    const int64_t channels = plan->about.groups * plan->outputs;
    // Where channels are neighbours in the output, they are stored in runs.
    const bool is_transposed = plan->output.channel < plan->output.axis[2];
    plan->block_outputs = std::min(channels, is_transposed ? kChannelsStored : kChannelsTogether);
    const int64_t most = kChannelElements / (plan->inputs * plan->Kernel());
    plan->block_results =
        std::min(results, std::clamp(most, kFewestResults, is_transposed ? kTransposedResults : kChannelResults));
    if (plan->by_plane) CutPlanes(plan);
    plan->output_blocks = CeilDivide(channels, plan->block_outputs);
  } else {
    plan->block_results = std::min(CeilDivide(results, plan->lanes.panel) * plan->lanes.panel, kDenseResults);
    plan->block_outputs = std::min(plan->outputs, kDenseOutputs);
    const int64_t others = CeilDivide(results, plan->block_results) * plan->batch * plan->about.groups * plan->Phases();
    const auto chunks = [&] { return others * CeilDivide(plan->outputs, plan->block_outputs); };
    while (chunks() < kChunksWanted && plan->block_outputs >= 2 * kFewestOutputs) plan->block_outputs /= 2;
    plan->output_blocks = CeilDivide(plan->outputs, plan->block_outputs) * plan->about.groups;
  }
  plan->result_blocks = CeilDivide(results, plan->block_results);
  plan->chunks = plan->batch * plan->Phases() * plan->result_blocks * plan->output_blocks;
}

// Whether a result needs one pixel of the image, and there are results enough for a product of matrices.
bool IsProduct(const ConvolutionPlan& plan) {
  constexpr int64_t kFewestPixels = 32, kFewestOutputsOfProduct = 16;
  const ConvolvedAxis* const axis = plan.about.axis;
  return plan.about.groups == 1 && std::all_of(axis, axis + kConvolvedAxes, IsPlain) &&
         plan.outputs >= kFewestOutputsOfProduct && axis[0].output * axis[1].output * axis[2].output >= kFewestPixels;
}

// output = weight [outputs, inputs] . input [inputs, results of the last axis], for the batch and each other axis.
void PlanProduct(exec::PlanBuilder& builder, const ConvolutionPlan& plan) {
  const ConvolvedAxis* const axis = plan.about.axis;
  const auto matrices = [&](const ConvolvedTensor& tensor, int64_t batch, int64_t rows, int64_t row_stride,
                            int64_t columns, int64_t column_stride, const int64_t* steps) {
    View view = builder.OperandView(tensor.operand);
    view.offset += tensor.offset / tensor.bytes;
    view.rank = kConvolvedAxes + 2;
    const int64_t shape[] = {plan.batch, axis[0].output, axis[1].output, rows, columns};
    const int64_t strides[] = {batch, steps[0], steps[1], row_stride, column_stride};
    for (int i = 0; i < view.rank; ++i) view.shape[i] = shape[i], view.strides[i] = strides[i] / tensor.bytes;
    return OperandPart(tensor.operand, view);
  };
  constexpr int64_t kNone[kConvolvedAxes] = {};
  const ConvolvedTensor &input = plan.input, &weight = plan.weight, &output = plan.output, &bias = plan.bias;
  const int64_t results = axis[2].output;
  products::MatMulOperands product{
      .a = matrices(weight, 0, plan.outputs, weight.batch, plan.inputs, weight.channel, kNone),
      .b = matrices(input, input.batch, plan.inputs, input.channel, results, input.axis[2], input.axis),
      .out = matrices(output, output.batch, plan.outputs, output.channel, results, output.axis[2], output.axis),
      .by_blocks = true};
  if (bias.operand >= 0) {
    builder.ForbidInPlace(bias.operand);
    product.addend = matrices(bias, 0, plan.outputs, bias.channel, results, 0, kNone);
    product.beta = 1;
  }
  products::MatMul(builder, product);
}

}  // namespace

float BiasOf(const ConvolutionTask& task, int64_t output) {
  float bias = 0;
  if (task.bias == nullptr) return bias;
  Convert(*task.plan.load_bias, task.bias + output * task.plan.bias.channel, reinterpret_cast<std::byte*>(&bias), 1);
  return bias;
}

void StoreResults(const ConvolutionTask& task, const ConvolutionChunk& chunk, float* results, int64_t stride,
                  std::byte* dense) {
  const ConvolutionPlan& plan = task.plan;
  const int64_t count = chunk.count;
  const ConvolvedTensor& output = plan.output;
  const auto& [z, y, x] = chunk.phase.axis;
  const int64_t steps[] = {output.axis[0] * z.stride, output.axis[1] * y.stride, output.axis[2] * x.stride};
  const bool is_line =
      (y.count == 1 || steps[1] == x.count * steps[2]) && (z.count == 1 || steps[0] == y.count * x.count * steps[2]);
  std::byte* const to = task.output + chunk.batch * output.batch + chunk.first_output * output.channel +
                        z.first * output.axis[0] + y.first * output.axis[1] + x.first * output.axis[2];
  const bool is_dense = is_line && steps[2] == output.bytes;
  TileOperand from = {reinterpret_cast<std::byte*>(results), stride * kFloatBytes, kFloatBytes};
  if (plan.store->steps != 0) {
    if (!is_dense) from = {dense, count * output.bytes, output.bytes};
    for (int64_t i = 0; i < chunk.outputs; ++i)
      Convert(*plan.store, reinterpret_cast<const std::byte*>(results + i * stride),
              is_dense ? to + i * output.channel + chunk.first * output.bytes : dense + i * from.row_stride, count);
    if (is_dense) return;
  }
  for (int64_t at = 0; at < count;) {
    const ResultRun run = is_line ? ResultRun{0, count, {0, 0, chunk.first}} : RunAt(chunk, at, count - at);
    std::byte* const place = to + run.place[0] * steps[0] + run.place[1] * steps[1] + run.place[2] * steps[2];
    const TileOperand block = BlockAt(from, 0, at), target = {place, output.channel, steps[2]};
    at += run.count;
    if (!plan.by_channel || output.channel != output.bytes || !IsTransposed(target)) {
      CopyBlock(output.bytes, chunk.outputs, run.count, block, target);
      continue;
    }
    // Transposes in the cache first, because the lines of the output often share a cache set.
    const int64_t line = chunk.outputs * output.bytes;
    std::byte* const transposed = plan.store->steps == 0 ? dense : dense + chunk.outputs * count * output.bytes;
    CopyBlock(output.bytes, chunk.outputs, run.count, block, {transposed, output.bytes, line});
    for (int64_t i = 0; i < run.count; ++i)
      std::memcpy(place + i * steps[2], transposed + i * line, static_cast<size_t>(line));
  }
}

inline namespace v1 {

void Convolve(exec::PlanBuilder& builder, int input, int weight, int bias, int output, const Convolution& convolution) {
  const View &of_input = builder.OperandView(input), &of_weight = builder.OperandView(weight);
  const auto sizes = builder.OperandView(output).dims();
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  const int64_t target = ActiveTarget(), groups = convolution.groups;
  const bool transposed = convolution.transposed;
  ConvolutionPlan plan{.about = convolution,
                       .lanes = products::ProductLanesOf(ACL_FLOAT, target),
                       .pixel_lanes = PixelLanesOf(target),
                       .sum_taps = SumTapsOf(target),
                       .take_rows = TakeRowsOf(target),
                       .input = TensorOf(builder, input, convolution.axes),
                       .weight = TensorOf(builder, weight, convolution.axes),
                       .output = TensorOf(builder, output, convolution.axes),
                       .load_input = &ConversionOf(of_input.dtype, ACL_FLOAT),
                       .load_weight = &ConversionOf(of_weight.dtype, ACL_FLOAT),
                       .store = &ConversionOf(ACL_FLOAT, builder.OperandView(output).dtype)};
  if (bias >= 0) {
    plan.bias = TensorOf(builder, bias, 0);
    plan.load_bias = &ConversionOf(builder.OperandView(bias).dtype, ACL_FLOAT);
  }
  plan.batch = of_input.shape[0];
  plan.inputs = of_input.shape[1] / groups;
  plan.outputs = builder.OperandView(output).shape[1] / groups;
  if (transposed) std::swap(plan.weight.batch, plan.weight.channel);
  plan.weight_group = transposed ? plan.inputs * plan.weight.channel : plan.outputs * plan.weight.batch;
  for (int i = 0; i < kConvolvedAxes; ++i) plan.phases[i] = PhasesOf(convolution.axis[i], transposed);
  JoinAxes(&plan);
  if (IsProduct(plan)) return PlanProduct(builder, plan);
  plan.by_channel = plan.outputs <= 2 || (plan.inputs == 1 && plan.outputs <= 8);
  plan.by_plane = PrefersPlanes(plan);
  const bool is_bfloat16 =
      of_input.dtype == ACL_BF16 && of_weight.dtype == ACL_BF16 && builder.OperandView(output).dtype == ACL_BF16;
  if (is_bfloat16 && !plan.by_channel && PrefersBlocks(plan))
    plan.blocks = products::BlockLanesOf(ActiveBfloat16Unit());
  if (plan.blocks != nullptr) plan.staged_bytes = plan.input.bytes;
  plan.by_pixel = !plan.by_channel && plan.blocks == nullptr && PrefersPixels(plan);
  plan.stages_input = plan.HasPixelsTogether() ? !HasPixels(plan)
                                               : plan.load_input->steps != 0 || (plan.about.axis[2].input > 1 &&
                                                                                 plan.input.axis[2] != kFloatBytes);
  for (int i = 0; i < kConvolvedAxes; ++i) plan.image[i] = plan.about.axis[i].input;
  if (plan.by_pixel) PadPixels(&plan);
  if (plan.blocks != nullptr) PadBlocks(&plan);
  plan.stages_weights = plan.blocks == nullptr && (plan.by_pixel ? !HasDenseTaps(plan) : !WeightsAreDense(plan));
  CutConvolution(&plan);
  plan.is_serial = MayOverlapItself(builder.OperandView(output));
  for (const int operand : {input, weight, bias}) {
    if (operand >= 0) builder.ForbidInPlace(operand);
  }
  const Tuning& tuning = CurrentTuning();
  double ns = plan.blocks != nullptr ? plan.blocks->has_tiles ? tuning.tile_product_ns : tuning.bfloat16_product_ns
              : plan.by_pixel        ? tuning.convolution_pixel_ns
              : plan.by_channel      ? tuning.convolution_tap_ns
                                     : tuning.convolution_panel_ns;
  for (const ConvolvedAxis& a : plan.about.axis)
    ns *= static_cast<double>(a.kernel) * static_cast<double>(transposed ? a.input : a.output);
  ns *= static_cast<double>(plan.batch) * static_cast<double>(groups * plan.outputs) * static_cast<double>(plan.inputs);
  if (plan.stages_input) ns += tuning.convolution_stage_ns * static_cast<double>(ElementsOf(plan));
  builder.Run(RunConvolution, plan, static_cast<int64_t>(std::min(1e18, ns + 2000)));
}

}  // namespace v1
}  // namespace portacl::loops::convolutions
