// SPDX-License-Identifier: Apache-2.0
//
// Converts inputs and weights of a convolution to the layouts that the lanes need.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "loops/convolutions/convolution_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

// Elements of a line, and lines of neighbouring channels, that are staged together. By pixel, the transposed cache
// lines are written completely while they are in the first-level cache.
constexpr int64_t kStagedElements = 128;
constexpr int64_t kStagedChannels = 16;

struct StageTask {
  const ConvolutionPlan& plan;
  const std::byte* from;
  std::byte* to;
  const int64_t* first_taps = nullptr;
};

Phase AllTaps(const ConvolutionPlan& plan) {
  Phase phase;
  for (int i = 0; i < kConvolvedAxes; ++i) phase.axis[i].taps = plan.about.axis[i].kernel;
  return phase;
}

// Sets the numbers of a phase's taps among all taps, in order; returns their number.
int64_t SetTapNumbers(const ConvolutionPlan& plan, const Phase& phase, int64_t* taps) {
  const ConvolvedAxis* const axis = plan.about.axis;
  const auto& [z, y, x] = phase.axis;
  int64_t count = 0;
  for (int64_t tz = 0; tz < z.taps; ++tz) {
    for (int64_t ty = 0; ty < y.taps; ++ty) {
      const int64_t row = (z.first_tap + tz * z.tap_step) * axis[1].kernel + y.first_tap + ty * y.tap_step;
      for (int64_t tx = 0; tx < x.taps; ++tx) taps[count++] = row * axis[2].kernel + x.first_tap + tx * x.tap_step;
    }
  }
  return count;
}

// Sizes along each axis, with padding.
std::array<int64_t, kConvolvedAxes> StagedSizes(const ConvolutionPlan& plan) {
  std::array<int64_t, kConvolvedAxes> sizes;
  for (int i = 0; i < kConvolvedAxes; ++i) sizes[i] = plan.about.axis[i].input;
  return sizes;
}

// An image as lines of equidistant elements.
struct StagedLines {
  explicit StagedLines(const ConvolutionPlan& plan) {
    const int64_t* const stride = plan.input.axis;
    size = plan.image[2], y = plan.image[1], z = plan.image[0];
    const bool joins = std::ranges::equal(plan.image, StagedSizes(plan));
    if (joins && (y == 1 || stride[1] == size * stride[2])) size *= y, y = 1;
    if (joins && y == 1 && (z == 1 || stride[0] == size * stride[2])) size *= z, z = 1;
    piece = std::min(size, kStagedElements);
    pieces = CeilDivide(size, piece);
    channel_blocks = CeilDivide(plan.about.groups * plan.inputs, kStagedChannels);
  }
  int64_t size, y, z;
  int64_t piece;
  int64_t pieces;
  int64_t channel_blocks;
};

// Each chunk stages a part of a line for some neighbouring channels.
void StageInput(const StageTask& task, const StagedLines& lines) {
  const ConvolutionPlan& plan = task.plan;
  const ConvolvedTensor target = StagedInput(plan);
  const int64_t channels = plan.about.groups * plan.inputs;
  int64_t begin = 0;
  for (int i = 0; i < kConvolvedAxes; ++i) begin += plan.padding[i] * target.axis[i];
  const bool converts = plan.input.bytes != plan.staged_bytes;
  const int64_t block = std::min(channels, kStagedChannels);
  ScratchLayout layout;
  const auto dense_at = layout.Add<std::byte>(converts ? block * lines.piece * plan.input.bytes : 0);
  const auto floats_at = layout.Add<std::byte>(converts ? block * lines.piece * kFloatBytes : 0);
  const int64_t chunks = plan.batch * lines.z * lines.y * lines.pieces * lines.channel_blocks;
  ForEachChunk({.count = chunks, .scratch_bytes = layout.bytes()}, [&](int64_t chunk, std::byte* scratch) {
    std::byte *const dense = dense_at.In(scratch), *const floats = floats_at.In(scratch);
    int64_t rest = chunk;
    const auto take = [&](int64_t size) {
      const int64_t at = rest % size;
      rest /= size;
      return at;
    };
    const int64_t channel = take(lines.channel_blocks) * kStagedChannels, x = take(lines.pieces) * lines.piece;
    const int64_t y = take(lines.y), z = take(lines.z);
    const auto place = [&](const ConvolvedTensor& tensor) {
      return rest * tensor.batch + channel * tensor.channel + z * tensor.axis[0] + y * tensor.axis[1] +
             x * tensor.axis[2];
    };
    const int64_t count = std::min(kStagedChannels, channels - channel), width = std::min(lines.piece, lines.size - x);
    TileOperand source = {const_cast<std::byte*>(task.from) + place(plan.input), plan.input.channel,
                          plan.input.axis[2]};
    std::byte* const to = task.to + begin + place(target);
    if (converts) {
      const int64_t row = width * plan.input.bytes;
      CopyBlock(plan.input.bytes, count, width, source, {dense, row, plan.input.bytes});
      source = {plan.by_pixel ? floats : to, plan.by_pixel ? width * kFloatBytes : target.channel, kFloatBytes};
      for (int64_t i = 0; i < count; ++i)
        Convert(*plan.load_input, dense + i * row, source.base + i * source.row_stride, width);
      if (!plan.by_pixel) return;
    }
    const bool interleaves =
        plan.HasPixelsTogether() && channels > 1 && channels <= 4 && source.column_stride == plan.staged_bytes;
    const int64_t stride = source.row_stride / plan.staged_bytes;
    if (interleaves && plan.by_pixel) {
      plan.pixel_lanes.interleave(reinterpret_cast<const float*>(source.base), stride, channels, width,
                                  reinterpret_cast<float*>(to));
    } else if (interleaves) {
      plan.pixel_lanes.interleave_halves(reinterpret_cast<const uint16_t*>(source.base), stride, channels, width,
                                         reinterpret_cast<uint16_t*>(to));
    } else {
      CopyBlock(plan.staged_bytes, count, width, source, {to, target.channel, target.axis[2]});
    }
  });
}

// Each chunk stages the weights of one output, phase by phase. By pixel, phases are separated later.
void StageWeights(const StageTask& task) {
  const ConvolutionPlan& plan = task.plan;
  const int64_t bytes = plan.weight.bytes, groups = plan.about.groups;
  const Chunks chunks{.count = groups * plan.outputs, .scratch_bytes = plan.inputs * plan.Kernel() * bytes};
  ForEachChunk(chunks, [&](int64_t output, std::byte* scratch) {
    const std::byte* const of_output =
        task.from + output / plan.outputs * plan.weight_group + output % plan.outputs * plan.weight.batch;
    for (int64_t number = 0; number < (plan.by_pixel ? 1 : plan.Phases()); ++number) {
      const Phase phase = plan.by_pixel ? AllTaps(plan) : plan.PhaseNumber(number);
      const auto& [z, y, x] = phase.axis;
      std::byte* dense = scratch;
      for (int64_t input = 0; input < plan.inputs; ++input) {
        for (int64_t tz = 0; tz < z.taps; ++tz) {
          for (int64_t ty = 0; ty < y.taps; ++ty) {
            const std::byte* from =
                of_output + input * plan.weight.channel + (z.first_tap + tz * z.tap_step) * plan.weight.axis[0] +
                (y.first_tap + ty * y.tap_step) * plan.weight.axis[1] + x.first_tap * plan.weight.axis[2];
            for (int64_t tx = 0; tx < x.taps; ++tx, from += x.tap_step * plan.weight.axis[2], dense += bytes)
              std::memcpy(dense, from, static_cast<size_t>(bytes));
          }
        }
      }
      const int64_t depth = plan.inputs * phase.Taps();
      std::byte* const to =
          task.to + (plan.outputs * plan.inputs * task.first_taps[number] * groups + output * depth) * kFloatBytes;
      Convert(*plan.load_weight, scratch, to, depth);
    }
  });
}

// The layout of the weights that panels are packed from.
struct PanelSource {
  explicit PanelSource(const ConvolutionPlan& plan)
      : inputs_last(!plan.stages_weights && plan.weight.channel == kFloatBytes && plan.outputs > 1 &&
                    plan.weight.batch != kFloatBytes && HasDensePixels(plan)) {
    const int64_t taps = plan.Kernel();
    input = plan.stages_weights ? taps * kFloatBytes : plan.weight.channel;
    output = plan.stages_weights ? plan.inputs * input : plan.weight.batch;
    outputs_last = !plan.stages_weights && output == kFloatBytes;
    group = plan.stages_weights ? plan.outputs * output : plan.weight_group;
  }
  // Whether the inputs of each tap are contiguous, and the taps too.
  static bool HasDensePixels(const ConvolutionPlan& plan) {
    const ConvolvedAxis* const axis = plan.about.axis;
    int64_t step = plan.inputs * kFloatBytes;
    for (int i = kConvolvedAxes; i-- > 0; step *= axis[i].kernel) {
      if (axis[i].kernel > 1 && plan.weight.axis[i] != step) return false;
    }
    return plan.Phases() == 1;
  }
  bool inputs_last;
  bool outputs_last;
  int64_t input, output, group;  // bytes from one to the next
};

// Packs one register of contiguous outputs.
template <class Place>
void TakePanel(const StageTask& task, const std::byte* from, int64_t count, int64_t* taps, int64_t width,
               const Place& place) {
  const ConvolutionPlan& plan = task.plan;
  const ConvolvedAxis* const axis = plan.about.axis;
  const int64_t lanes = plan.pixel_lanes.lanes;
  for (int64_t number = 0; number < plan.Phases(); ++number) {
    const int64_t tap_count = SetTapNumbers(plan, plan.PhaseNumber(number), taps);
    float* to = place(plan.inputs * task.first_taps[number], plan.inputs * tap_count);
    for (int64_t i = 0; i < tap_count; ++i, to += plan.inputs * width) {
      const int64_t x = taps[i] % axis[2].kernel, row = taps[i] / axis[2].kernel;
      const std::byte* const weights = from + row / axis[1].kernel * plan.weight.axis[0] +
                                       row % axis[1].kernel * plan.weight.axis[1] + x * plan.weight.axis[2];
      plan.take_rows(reinterpret_cast<const float*>(weights), plan.weight.channel / kFloatBytes, 1, plan.inputs, count,
                     to, width);
      for (int64_t input = 0; count < lanes && input < plan.inputs; ++input)
        std::fill_n(to + input * width + count, lanes - count, 0.0F);
    }
  }
}

// Each chunk packs one register of outputs, for all phases.
void StagePanels(const StageTask& task) {
  const ConvolutionPlan& plan = task.plan;
  const PanelSource source(plan);
  const int64_t lanes = plan.pixel_lanes.lanes, padded = plan.PaddedOutputs(), vectors = padded / lanes;
  const int64_t inputs = plan.inputs, kernel = plan.Kernel(), terms = inputs * kernel;
  ScratchLayout layout;
  const auto transposed_at = layout.Add<float>(source.inputs_last ? 0 : terms * lanes);
  const auto taps_at = layout.Add<int64_t>(source.inputs_last ? 0 : kernel);
  ForEachChunk(
      {.count = plan.about.groups * vectors, .scratch_bytes = layout.bytes()}, [&](int64_t chunk, std::byte* scratch) {
        float* const transposed = transposed_at.In(scratch);
        int64_t* const taps = taps_at.In(scratch);
        const int64_t vector = chunk % vectors, group = chunk / vectors;
        int64_t block = 0;
        while (block + PixelVectors(plan, block) <= vector) block += PixelVectors(plan, block);
        const int64_t width = PixelVectors(plan, block) * lanes, count = std::min(lanes, plan.outputs - vector * lanes);
        auto* const from = const_cast<std::byte*>(task.from) + group * source.group + vector * lanes * source.output;
        auto* const panels = reinterpret_cast<float*>(task.to);
        const auto place = [&](int64_t before, int64_t depth) {
          return panels + plan.about.groups * padded * before + group * padded * depth + block * lanes * depth +
                 (vector - block) * lanes;
        };
        if (source.outputs_last) {
          TakePanel(task, from, count, taps, width, place);
          return;
        }
        float* const target = source.inputs_last ? place(0, terms) : transposed;
        const int64_t stride = source.inputs_last ? width : lanes;
        const auto transpose = [&](std::byte* weights, int64_t size, float* to) {
          CopyBlock(kFloatBytes, size, count, {weights, kFloatBytes, source.output},
                    {reinterpret_cast<std::byte*>(to), stride * kFloatBytes, kFloatBytes});
        };
        if (source.inputs_last || source.input == kernel * kFloatBytes) {
          transpose(from, terms, target);
        } else {
          for (int64_t input = 0; input < inputs; ++input)
            transpose(from + input * source.input, kernel, target + input * kernel * stride);
        }
        for (int64_t term = 0; count < lanes && term < terms; ++term)
          std::fill_n(target + term * stride + count, lanes - count, 0.0F);
        for (int64_t number = 0; !source.inputs_last && number < plan.Phases(); ++number) {
          const Phase phase = plan.PhaseNumber(number);
          const int64_t tap_count = SetTapNumbers(plan, phase, taps);
          plan.pixel_lanes.spread(transposed, inputs, kernel, taps, tap_count,
                                  place(inputs * task.first_taps[number], inputs * tap_count), width);
        }
      });
}

}  // namespace

int64_t ElementsOf(const ConvolutionPlan& plan) {
  const ConvolvedAxis* const axis = plan.about.axis;
  return plan.batch * plan.about.groups * plan.inputs * axis[0].input * axis[1].input * axis[2].input;
}

ConvolvedTensor StagedInput(const ConvolutionPlan& plan) {
  const ConvolvedAxis* const axis = plan.about.axis;
  const int64_t channels = plan.about.groups * plan.inputs;
  const int64_t bytes = plan.staged_bytes;
  ConvolvedTensor tensor{.bytes = bytes};
  tensor.axis[2] = plan.HasPixelsTogether() ? channels * bytes : bytes;
  tensor.axis[1] = tensor.axis[2] * axis[2].input;
  tensor.axis[0] = tensor.axis[1] * axis[1].input;
  tensor.channel = plan.HasPixelsTogether() ? bytes : tensor.axis[0] * axis[0].input;
  tensor.batch = bytes * channels * axis[0].input * axis[1].input * axis[2].input;
  return tensor;
}

void StageInput(const ConvolutionPlan& plan, const std::byte* from, std::byte* to) {
  if (!std::ranges::equal(plan.image, StagedSizes(plan)))
    std::memset(to, 0, static_cast<size_t>(ElementsOf(plan) * plan.staged_bytes));
  StageInput({.plan = plan, .from = from, .to = to}, StagedLines(plan));
}

void StageWeights(const ConvolutionPlan& plan, const std::byte* from, const int64_t* first_taps, std::byte* to) {
  StageWeights({.plan = plan, .from = from, .to = to, .first_taps = first_taps});
}

void StagePanels(const ConvolutionPlan& plan, const std::byte* from, const int64_t* first_taps, float* to) {
  StagePanels({.plan = plan, .from = from, .to = reinterpret_cast<std::byte*>(to), .first_taps = first_taps});
}

bool HasDenseTaps(const ConvolutionPlan& plan) {
  const ConvolvedAxis* const axis = plan.about.axis;
  if (plan.load_weight->steps != 0) return false;
  if (plan.weight.batch == kFloatBytes) return true;
  if (plan.weight.channel == kFloatBytes && PanelSource::HasDensePixels(plan)) return true;
  int64_t step = kFloatBytes;
  for (int i = kConvolvedAxes; i-- > 0; step *= axis[i].kernel) {
    if (axis[i].kernel > 1 && plan.weight.axis[i] != step) return false;
  }
  return true;
}

}  // namespace portacl::loops::convolutions
