// SPDX-License-Identifier: Apache-2.0
//
// How a convolution is cut. A transposed convolution is split into several plain ones, its phases: along an axis, every
// stride-th result uses the same weights, on inputs that are neighbours. A plain convolution has one phase.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "loops/convolutions/convolution.h"
#include "loops/convolutions/pixel_lanes.h"
#include "loops/convolutions/tap_lanes.h"
#include "loops/elements/conversion.h"
#include "loops/products/bfloat16_blocks.h"
#include "loops/products/panel_lanes.h"
#include "loops/tiles/chunks.h"

namespace portacl::loops::convolutions {

/// The size of equal parts of `total`, each of at most `most`.
inline int64_t Balanced(int64_t total, int64_t most) {
  return total <= most ? total : CeilDivide(total, CeilDivide(total, most));
}

/// A phase along one axis. For tap t, result i needs the input step * i + offset + t * offset_step and the weight
/// first_tap + t * tap_step.
struct AxisPhase {
  int64_t first = 0;  // first result, as a position in the output
  int64_t stride = 1;
  int64_t count = 0;  // number of results
  int64_t step = 1;
  int64_t taps = 0;
  int64_t first_tap = 0;
  int64_t tap_step = 1;
  int64_t offset = 0;
  int64_t offset_step = 0;
};

inline int64_t PhasesOf(const ConvolvedAxis& axis, bool transposed) {
  return transposed ? std::min(axis.stride, axis.output) : 1;
}

inline AxisPhase PhaseOf(const ConvolvedAxis& axis, bool transposed, int64_t phase) {
  if (!transposed)
    return {.count = axis.output,
            .step = axis.stride,
            .taps = axis.kernel,
            .offset = -axis.before,
            .offset_step = axis.dilation};
  const int64_t s = axis.stride, common = std::gcd(s, axis.dilation);
  AxisPhase result{.first = phase,
                   .stride = s,
                   .count = (axis.output - phase + s - 1) / s,
                   .tap_step = s / common,
                   .offset_step = -axis.dilation / common};
  const int64_t reach = phase + axis.before;
  int64_t tap = 0;
  while (tap < result.tap_step && tap < axis.kernel && (reach - tap * axis.dilation) % s != 0) ++tap;
  if (tap >= result.tap_step || tap >= axis.kernel) return result;
  result.first_tap = tap;
  result.taps = (axis.kernel - tap + result.tap_step - 1) / result.tap_step;
  result.offset = (reach - tap * axis.dilation) / s;
  return result;
}

struct Phase {
  AxisPhase axis[kConvolvedAxes];
  int64_t Taps() const { return axis[0].taps * axis[1].taps * axis[2].taps; }
  int64_t Results() const { return axis[0].count * axis[1].count * axis[2].count; }
};

/// The strides of a tensor in bytes: along batch and channels (for weights, along output and input channels), then
/// along the other axes.
struct ConvolvedTensor {
  int operand = -1;
  int64_t offset = 0;
  int64_t bytes = 0;  // per element
  int64_t batch = 0;
  int64_t channel = 0;
  int64_t axis[kConvolvedAxes] = {};
};

struct ConvolutionPlan {
  Convolution about;
  products::ProductLanes lanes;
  PixelLanes pixel_lanes;
  SumTaps sum_taps = nullptr;
  TakeRows take_rows = nullptr;
  ConvolvedTensor input;
  ConvolvedTensor weight;  // batch: stride of outputs; channel: stride of inputs within a group
  int64_t weight_group = 0;
  ConvolvedTensor bias = {};
  ConvolvedTensor output;
  const Conversion* load_input = nullptr;
  const Conversion* load_weight = nullptr;
  const Conversion* load_bias = nullptr;
  const Conversion* store = nullptr;
  int64_t batch = 0;
  int64_t inputs = 0;   // input channels of a group
  int64_t outputs = 0;  // output channels of a group
  int64_t phases[kConvolvedAxes] = {1, 1, 1};
  bool stages_input = false;             // to contiguous float32; by pixel and block, channels become neighbours
  int64_t staged_bytes = sizeof(float);  // per element of the staged input
  bool stages_weights = false;           // to float32 [phase][group][output][input][tap]; by pixel without phases
  int64_t image[kConvolvedAxes] = {};    // sizes of the input; they may be larger if it is staged
  int64_t padding[kConvolvedAxes] = {};  // in front of a staged input
  bool by_channel = false;               // one output channel at a time
  bool by_plane = false;                 // one output channel at a time, whole rows
  bool by_pixel = false;                 // output channels in the lanes
  const products::BlockLanes* blocks = nullptr;  // by blocks of bfloat16, which are not converted; null: otherwise
  int64_t block_outputs = 1;
  int64_t block_results = 1;  // results along all axes; by channel, along rows
  int64_t output_blocks = 1;
  int64_t result_blocks = 1;
  int64_t box[1 + kConvolvedAxes] = {};         // by pixel: results of a chunk along the batch and each axis
  int64_t box_blocks[1 + kConvolvedAxes] = {};  // boxes in the largest phase
  int64_t chunks = 1;
  bool is_serial = false;  // elements of the output share bytes

  Chunks ChunksWith(int64_t scratch_bytes) const { return {chunks, is_serial, scratch_bytes}; }
  int64_t Phases() const { return phases[0] * phases[1] * phases[2]; }
  Phase PhaseNumber(int64_t number) const {
    Phase phase;
    for (int i = kConvolvedAxes; i-- > 0; number /= phases[i])
      phase.axis[i] = PhaseOf(about.axis[i], about.transposed, number % phases[i]);
    return phase;
  }
  bool HasPixelsTogether() const { return by_pixel || blocks != nullptr; }  // channels are neighbours
  int64_t PaddedOutputs() const { return CeilDivide(outputs, pixel_lanes.lanes) * pixel_lanes.lanes; }
  int64_t Kernel() const { return about.axis[0].kernel * about.axis[1].kernel * about.axis[2].kernel; }
};

struct ConvolutionTask {
  const ConvolutionPlan& plan;
  std::byte* input = nullptr;  // as planned, or staged
  std::byte* weight = nullptr;
  std::byte* bias = nullptr;
  std::byte* output = nullptr;
  ConvolvedTensor from = {};            // strides of `input`, which is float32 with neighbours along the last axis
  const float* weights = nullptr;       // staged, or as they are; by pixel in panels, see StagePanels
  const int64_t* first_taps = nullptr;  // for each phase, the number of taps in the phases before it
};

/// The outputs and results that a chunk computes.
struct ConvolutionChunk {
  ConvolutionChunk(const ConvolutionTask& task, int64_t number) {
    const ConvolutionPlan& plan = task.plan;
    const auto take = [&](int64_t size) {
      const int64_t at = number % size;
      number /= size;
      return at;
    };
    const int64_t channels = plan.about.groups * plan.outputs;
    if (plan.by_channel) {
      first_output = take(plan.output_blocks) * plan.block_outputs;
      outputs = std::min(plan.block_outputs, channels - first_output);
    } else {
      const int64_t block = take(plan.output_blocks / plan.about.groups) * plan.block_outputs;
      first_output = take(plan.about.groups) * plan.outputs + block;
      outputs = std::min(plan.block_outputs, plan.outputs - block);
    }
    const int64_t block = take(plan.result_blocks), phase_number = take(plan.Phases());
    phase = plan.PhaseNumber(phase_number);
    batch = number;
    depth = plan.inputs * phase.Taps();
    first = block * plan.block_results;
    count = std::min(plan.block_results, phase.Results() - first);
    weights = task.weights + channels * plan.inputs * task.first_taps[phase_number] + first_output * depth;
  }
  Phase phase;
  int64_t batch;
  int64_t first_output;  // counted over all groups
  int64_t outputs;
  int64_t first;  // first result within the phase
  int64_t count;  // 0 or less: this phase has no results here
  int64_t depth;
  const float* weights;  // [outputs][depth]
};

/// Results of a chunk that are neighbours along the last axis.
struct ResultRun {
  int64_t at;  // position in the chunk
  int64_t count;
  int64_t place[kConvolvedAxes];  // position in the phase
};
/// The run that starts at result `at` of a chunk, of at most `most` results.
inline ResultRun RunAt(const ConvolutionChunk& chunk, int64_t at, int64_t most) {
  const auto& [z, y, x] = chunk.phase.axis;
  const int64_t number = chunk.first + at, row = number / x.count, column = number % x.count;
  return {at, std::min(most, x.count - column), {row / y.count, row % y.count, column}};
}

/// Copies the elements first, first + step, ... of a row of the image; those outside are 0.
inline void FillRun(const float* row, int64_t first, int64_t step, int64_t size, int64_t count, float* to) {
  if (step == 1) {
    const int64_t begin = std::clamp<int64_t>(-first, 0, count), end = std::clamp(size - first, begin, count);
    std::fill_n(to, begin, 0.0F);
    std::copy_n(row + first + begin, end - begin, to + begin);
    std::fill(to + end, to + count, 0.0F);
    return;
  }
  const int64_t before = first < 0 ? (step - 1 - first) / step : 0, left = size - first;
  const int64_t begin = std::min(before, count), end = std::clamp(left <= 0 ? 0 : (left - 1) / step + 1, begin, count);
  std::fill_n(to, begin, 0.0F);
  if (step == 2) {
    for (int64_t i = begin; i < end; ++i) to[i] = row[first + 2 * i];
  } else {
    for (int64_t i = begin; i < end; ++i) to[i] = row[first + step * i];
  }
  std::fill(to + end, to + count, 0.0F);
}

/// The bias of an output, counted over all groups; 0 if there is none.
float BiasOf(const ConvolutionTask& task, int64_t output);

/// Stores the results of a chunk. There is a row of `stride` elements for each output.
/// `dense` has room for as many elements of the output; by channel, for twice as many.
void StoreResults(const ConvolutionTask& task, const ConvolutionChunk& chunk, float* results, int64_t stride,
                  std::byte* dense);

/// Decides whether a convolution goes by pixel; cuts it into chunks.
bool PrefersPixels(const ConvolutionPlan& plan);
void CutPixels(ConvolutionPlan* plan);

/// The same for a convolution by blocks of bfloat16.
bool PrefersBlocks(const ConvolutionPlan& plan);
void CutBlocks(ConvolutionPlan* plan);

/// Makes the padding part of the staged input, where hardly any two results would need the same taps.
void PadPixels(ConvolutionPlan* plan);

/// The same for a convolution by blocks, wherever there is padding.
void PadBlocks(ConvolutionPlan* plan);

/// Whether a convolution by channel computes whole rows; cuts it into chunks of rows.
bool PrefersPlanes(const ConvolutionPlan& plan);
void CutPlanes(ConvolutionPlan* plan);

/// Whether an input can be read by pixel or block in place.
bool HasPixels(const ConvolutionPlan& plan);

/// The layout of a staged input, and its number of elements.
ConvolvedTensor StagedInput(const ConvolutionPlan& plan);
int64_t ElementsOf(const ConvolutionPlan& plan);

/// These functions run in parallel and throw std::bad_alloc.
void StageInput(const ConvolutionPlan& plan, const std::byte* from, std::byte* to);
void StageWeights(const ConvolutionPlan& plan, const std::byte* from, const int64_t* first_taps, std::byte* to);

/// Packs weights as [phase][group][block of outputs][term][output]. A block has as many registers of outputs as
/// PixelVectors() says, with 0 beyond the last output; its terms are ordered by tap, then by input. `from` has the
/// original or the staged weights.
void StagePanels(const ConvolutionPlan& plan, const std::byte* from, const int64_t* first_taps, float* to);

/// Whether panels can be packed from weights in place: they are float32, with contiguous outputs, or contiguous taps,
/// or contiguous inputs and then taps.
bool HasDenseTaps(const ConvolutionPlan& plan);

/// Registers of outputs that are multiplied together, starting at register `first` of a group.
inline int64_t PixelVectors(const ConvolutionPlan& plan, int64_t first) {
  const int64_t vectors = plan.PaddedOutputs() / plan.pixel_lanes.lanes;
  const int64_t blocks = CeilDivide(vectors, plan.pixel_lanes.vectors), size = CeilDivide(vectors, blocks);
  // Larger blocks come first.
  const int64_t larger = vectors - (size - 1) * blocks;
  return first < larger * size ? size : size - 1;
}

/// The five algorithms.
void RunByBlock(const ConvolutionTask& task);
void RunByPixel(const ConvolutionTask& task);
void RunByPanel(const ConvolutionTask& task);
void RunByChannel(const ConvolutionTask& task);
void RunByPlane(const ConvolutionTask& task);

/// How consecutive terms are added: those of a block in sequence, the sums of a span's blocks in float32, the sums of
/// spans in float64.
inline constexpr int64_t kTermsOfBlock = 48;
inline constexpr int64_t kTermsOfSpan = 640;
struct Terms {
  int64_t block;
  int64_t span;  // whole blocks, or all terms
};
inline Terms TermsOf(int64_t depth) {
  const int64_t block = std::max<int64_t>(1, Balanced(depth, kTermsOfBlock));
  return {block, depth <= kTermsOfSpan ? std::max<int64_t>(depth, 1) : CeilDivide(kTermsOfSpan, block) * block};
}

}  // namespace portacl::loops::convolutions
