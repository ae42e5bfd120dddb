// SPDX-License-Identifier: Apache-2.0
#include "loops/convolutions/weight_blocks.h"

#include <algorithm>
#include <cstddef>

#include "base/bfloat16.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

using products::kBlockDepth;
using products::kGroup;

constexpr auto kElement = static_cast<int64_t>(sizeof(uint16_t));
constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

// Copies the weights of an output, ordered by tap, then by input.
void CopyTerms(const ConvolutionPlan& plan, const Phase& phase, const std::byte* from, std::byte* to) {
  const auto& [z, y, x] = phase.axis;
  const int64_t* const stride = plan.weight.axis;
  for (int64_t tz = 0; tz < z.taps; ++tz) {
    for (int64_t ty = 0; ty < y.taps; ++ty, to += x.taps * plan.inputs * kElement) {
      const std::byte* const row = from + (z.first_tap + tz * z.tap_step) * stride[0] +
                                   (y.first_tap + ty * y.tap_step) * stride[1] + x.first_tap * stride[2];
      CopyBlock(kElement, plan.inputs, x.taps,
                {const_cast<std::byte*>(row), plan.weight.channel, x.tap_step * stride[2]},
                {to, kElement, plan.inputs * kElement});
    }
  }
}

// Whether the weights of an output are contiguous, by input, then by tap, and each tap has whole blocks of inputs.
bool HasWholeTaps(const ConvolutionPlan& plan) {
  int64_t step = kElement;
  bool is_dense = plan.Phases() == 1 && !plan.about.transposed && plan.inputs % kBlockDepth == 0;
  for (int i = kConvolvedAxes; i-- > 0; step *= plan.about.axis[i].kernel)
    is_dense &= plan.about.axis[i].kernel == 1 || plan.weight.axis[i] == step;
  return is_dense && plan.weight.channel == step;
}

}  // namespace

int64_t MostTerms(const ConvolutionPlan& plan) {
  int64_t terms = plan.inputs;
  for (const ConvolvedAxis& axis : plan.about.axis)
    terms *= CeilDivide(axis.kernel, PhaseOf(axis, plan.about.transposed, 0).tap_step);
  return terms;
}

WeightBlocks::WeightBlocks(const ConvolutionTask& task)
    : groups_(task.plan.about.groups),
      column_groups_(CeilDivide(task.plan.outputs, kGroup)),
      count_(task.plan.Phases() * groups_ * column_groups_),
      stride_(products::GroupStride(CeilDivide(MostTerms(task.plan), kBlockDepth))),
      blocks_(count_ * stride_ * kElement),
      min_magnitudes_(count_ * kElement) {
  const ConvolutionPlan& plan = task.plan;
  const Chunks chunks{.count = count_, .scratch_bytes = kGroup * MostTerms(plan) * kElement};
  ForEachChunk(chunks, [&](int64_t number, std::byte* dense) {
    const int64_t first = number % column_groups_ * kGroup, group = number / column_groups_ % groups_;
    const int64_t count = std::min(kGroup, plan.outputs - first);
    const Phase phase = plan.PhaseNumber(number / column_groups_ / groups_);
    const int64_t depth = plan.inputs * phase.Taps(), bytes = depth * kElement;
    const std::byte* const from = task.weight + group * plan.weight_group + first * plan.weight.batch;
    uint16_t *const blocks = blocks_.As<uint16_t>() + number * stride_, *const min_magnitude =
                                                                            min_magnitudes_.As<uint16_t>() + number;
    *min_magnitude = products::kAllZero;
    if (!HasWholeTaps(plan)) {
      for (int64_t i = 0; i < count; ++i) CopyTerms(plan, phase, from + i * plan.weight.batch, dense + i * bytes);
      return plan.blocks->pack_columns_along({dense, bytes, kElement, count, depth}, {blocks, stride_, min_magnitude});
    }
    // Outputs become neighbours first: a row of taps is too short to copy its elements one by one, which would take a
    // quarter of the time of 512 channels of 7 x 7.
    constexpr int64_t kLine = kGroup * kElement;
    const int64_t taps = phase.Taps();
    CopyBlock(kElement, depth, count, {const_cast<std::byte*>(from), kElement, plan.weight.batch},
              {dense, kLine, kElement});
    for (int64_t tap = 0; tap < taps; ++tap)
      plan.blocks->pack_columns_across({dense + tap * kLine, kElement, taps * kLine, count, plan.inputs},
                                       {blocks + tap * plan.inputs * kGroup, stride_, min_magnitude});
  });
}

void MultiplyGroups(const ConvolutionPlan& plan, const uint16_t* rows, int64_t row_stride, const uint16_t* columns,
                    int64_t depth, float* out, int64_t out_stride) {
  const products::ProductLanes& lanes = plan.lanes;
  const int64_t width = std::max(lanes.panel, kGroup), padded = depth + depth % 2;
  ScratchLayout layout;
  const auto rows_at = layout.Add<float>(kGroup * depth), panel_at = layout.Add<float>(padded * width),
             tile_at = layout.Add<float>(kGroup * width);
  const auto sums_at = layout.Add<double>(lanes.rows * width);
  WithScratch(layout.bytes(), [&](std::byte* scratch) {
    float *const floats = rows_at.In(scratch), *const panel = panel_at.In(scratch), *const tile = tile_at.In(scratch);
    for (int64_t row = 0; row < kGroup; ++row)
      Convert(*plan.load_input, reinterpret_cast<const std::byte*>(rows + row * row_stride),
              reinterpret_cast<std::byte*>(floats + row * depth), depth);
    // A block holds pairs of terms, those of the columns side by side.
    std::fill_n(panel, padded * width, 0.0F);
    for (int64_t k = 0; k < padded; ++k) {
      for (int64_t i = 0; i < kGroup; ++i)
        panel[k * width + i] = Bfloat16ToFloat(columns[k / 2 * 2 * kGroup + 2 * i + k % 2]);
    }
    const auto [block, span] = TermsOf(depth);
    for (int64_t row = 0; row < kGroup; row += lanes.rows) {
      for (int64_t k = 0; k < depth; k += span)
        lanes.multiply({.rows = floats + row * depth + k,
                        .row_stride = depth,
                        .row_count = std::min(lanes.rows, kGroup - row),
                        .panel = panel + k * width,
                        .panel_step = width,
                        .depth = std::min(span, depth - k),
                        .block = block,
                        .sums = depth <= span ? nullptr : sums_at.In(scratch),
                        .sum_stride = width,
                        .begins = k == 0,
                        .ends = k + span >= depth,
                        .out = tile + row * width,
                        .out_stride = width});
    }
    CopyBlock(kFloatBytes, kGroup, kGroup, {reinterpret_cast<std::byte*>(tile), width * kFloatBytes, kFloatBytes},
              {reinterpret_cast<std::byte*>(out), out_stride * kFloatBytes, kFloatBytes});
  });
}

}  // namespace portacl::loops::convolutions
