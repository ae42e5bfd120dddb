// SPDX-License-Identifier: Apache-2.0
//
// Convolution of bfloat16 by dedicated instructions. The elements that a result needs are copied to a row; the rows of
// a chunk are multiplied by the weights, as in a product of matrices. Channels are neighbours, and the image contains
// its padding, so a row is made of a few runs. Results with terms so small that subnormal values may occur are computed
// once more in float32.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loops/convolutions/convolution_plan.h"
#include "loops/convolutions/weight_blocks.h"
#include "loops/products/product_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

using products::kBlockDepth;
using products::kBlockSpan;
using products::kGroup;
using products::kMultipliedDepth;

constexpr auto kElement = static_cast<int64_t>(sizeof(uint16_t));
constexpr int64_t kPair = 2 * kGroup;

// The rows of a chunk fit the second-level cache.
constexpr int64_t kRowBytes = 256 << 10;
constexpr int64_t kMostResults = 256;
constexpr int64_t kMostOutputs = 512;
constexpr int64_t kFewestOutputsOfChunk = 64;
constexpr int64_t kChunksWanted = 16;

// Where runs are short and outputs few, copying takes longer than the multiplication gains. On a Zen 5, blocks are
// faster if the product of both is at least kFewestOfRun: 3 to 64 channels by 3 x 3 take the same time either way.
constexpr int64_t kFewestOfRun = 512;
constexpr int64_t kMostTermsOfRow = 1 << 14;  // so that a pair of groups fits the second-level cache
constexpr int64_t kMostPhases = 64;
// The image may grow to this many pixels, or by this factor.
constexpr double kMostPadded = 4096;
constexpr double kMostPadding = 4;

// Elements from one row to the next: an odd number of cache lines.
int64_t RowStride(int64_t depth) { return (CeilDivide(depth, kBlockDepth) | 1) * kBlockDepth; }

int64_t InGroups(int64_t count, int64_t size) { return CeilDivide(count, size) * size; }

// The pixels that an axis of the image needs in front of its first one, and its number of pixels with these.
struct PaddedAxis {
  PaddedAxis(const ConvolvedAxis& axis, bool transposed) : size(axis.input) {
    for (int64_t number = 0; number < PhasesOf(axis, transposed); ++number) {
      const AxisPhase phase = PhaseOf(axis, transposed, number);
      if (phase.taps == 0) continue;
      const int64_t last = phase.offset + (phase.taps - 1) * phase.offset_step;
      before = std::max(before, -std::min(phase.offset, last));
      size = std::max(size, std::max(phase.offset, last) + (phase.count - 1) * phase.step + 1);
    }
    size += before;
  }
  int64_t before = 0;
  int64_t size;
};

struct BlockScratch {
  explicit BlockScratch(const ConvolutionPlan& plan) {
    const int64_t depth = MostTerms(plan), sums_of = plan.block_results * plan.block_outputs;
    rows = layout.Add<uint16_t>(plan.block_results * RowStride(depth) + kBlockDepth);
    row_magnitudes = layout.Add<uint16_t>(plan.block_results / kGroup);
    runs = layout.Add<int64_t>(plan.Kernel());
    tile = layout.Add<float>(sums_of);
    sums = layout.Add<double>(depth > kBlockSpan ? sums_of : 0);
    bias = layout.Add<float>(plan.block_outputs);
    dense = layout.Add<std::byte>(sums_of * kElement);
  }
  ScratchLayout layout;
  ScratchPart<uint16_t> rows, row_magnitudes;
  ScratchPart<int64_t> runs;
  ScratchPart<float> tile, bias;
  ScratchPart<double> sums;
  ScratchPart<std::byte> dense;
};

class BlockChunk {
 public:
  BlockChunk(const ConvolutionTask& task, const WeightBlocks& weights, int64_t number, const BlockScratch& places,
             std::byte* scratch)
      : task_(task), plan_(task.plan), scratch_(scratch), at_(places) {
    const auto take = [&](int64_t size) {
      const int64_t at = number % size;
      number /= size;
      return at;
    };
    const int64_t groups = plan_.about.groups, block = take(plan_.output_blocks / groups) * plan_.block_outputs;
    const int64_t group = take(groups);
    first_ = take(plan_.result_blocks) * plan_.block_results;
    phase_ = plan_.PhaseNumber(number);
    count_ = std::min(plan_.block_results, plan_.batch * phase_.Results() - first_);
    first_output_ = group * plan_.outputs + block;
    outputs_ = std::min(plan_.block_outputs, plan_.outputs - block);
    width_ = InGroups(outputs_, kGroup);
    depth_ = plan_.inputs * phase_.Taps();
    row_stride_ = RowStride(depth_);
    image_ = task.input + group * plan_.inputs * task.from.channel;
    const int64_t packed = weights.Number(number, group, block / kGroup);
    columns_ = weights.blocks(packed);
    column_stride_ = weights.stride();
    column_magnitudes_ = weights.min_magnitudes(packed);
  }

  void Run() {
    if (count_ <= 0) return;  // this phase has fewer results
    if (depth_ == 0) {
      std::fill_n(Part(at_.tile), count_ * width_, 0.0F);
    } else {
      PackRows();
      Multiply();
      for (int64_t column = 0; column < width_; column += kGroup) Recompute(column);
    }
    Store();
  }

 private:
  template <class T>
  T* Part(ScratchPart<T> part) const {
    return part.In(scratch_);
  }

  // Calls f(at, count, n, z, y, x) for the runs of results that are neighbours along the last axis, or along all of
  // them; `at` is the position in the chunk, the others are those of the first result.
  template <class F>
  void ForEachRun(bool joins_axes, const F& f) const {
    const int64_t results = phase_.Results(), rows = joins_axes ? 1 : phase_.axis[1].count;
    const int64_t length = joins_axes ? results : phase_.axis[2].count;
    for (int64_t at = 0; at < count_;) {
      const int64_t number = first_ + at, x = number % length, row = number % results / length;
      const int64_t run = std::min(count_ - at, length - x);
      f(at, run, number / results, row / rows, row % rows, x);
      at += run;
    }
  }

  void PackRows() const {
    const auto& [z, y, x] = phase_.axis;
    const int64_t* const stride = task_.from.axis;
    const int64_t step[] = {z.offset_step * stride[0], y.offset_step * stride[1], x.offset_step * stride[2]};
    // Inputs of neighbouring taps are contiguous.
    const int64_t together = step[2] == plan_.inputs * kElement ? x.taps : 1;
    auto* const runs = Part(at_.runs);
    int64_t run_count = 0;
    for (int64_t tz = 0; tz < z.taps; ++tz) {
      for (int64_t ty = 0; ty < y.taps; ++ty) {
        for (int64_t tx = 0; tx < x.taps; tx += together)
          runs[run_count++] = tz * step[0] + ty * step[1] + tx * step[2];
      }
    }
    const products::BlockRuns all{runs, run_count, together * plan_.inputs};
    uint16_t *const rows = Part(at_.rows), *const magnitudes = Part(at_.row_magnitudes);
    std::fill_n(magnitudes, plan_.block_results / kGroup, products::kAllZero);
    const auto place = [&](int i, int64_t result) {
      const AxisPhase& axis = phase_.axis[i];
      return (axis.step * result + axis.offset + plan_.padding[i]) * stride[i];
    };
    ForEachRun(false, [&](int64_t at, int64_t count, int64_t n, int64_t iz, int64_t iy, int64_t ix) {
      const std::byte* from = image_ + n * task_.from.batch + place(0, iz) + place(1, iy) + place(2, ix);
      for (const int64_t end = at + count; at < end; ++at, from += x.step * stride[2])
        plan_.blocks->copy_runs(from, all, rows + at * row_stride_, magnitudes + at / kGroup);
    });
    std::fill(rows + count_ * row_stride_, rows + InGroups(count_, kGroup) * row_stride_, uint16_t{0});
  }

  void Multiply() const {
    auto* const tile = Part(at_.tile);
    const int64_t blocks = CeilDivide(depth_, kBlockDepth), results = InGroups(count_, kGroup);
    const bool has_spans = depth_ > kBlockSpan;
    if (has_spans) std::fill_n(Part(at_.sums), count_ * width_, 0.0);
    // Whole numbers of the four blocks that dot products sum before they add to the results, in equal parts. Where
    // there are several spans, these have whole parts, as each is then kMultipliedDepth.
    const int64_t part = InGroups(Balanced(blocks, kMultipliedDepth / kBlockDepth), 4) * kBlockDepth;
    for (int64_t k = 0; k < depth_; k += part) {
      for (int64_t row = 0; row < results; row += kPair) {
        for (int64_t column = 0; column < width_; column += kPair) {
          plan_.blocks->multiply({.rows = Part(at_.rows) + row * row_stride_ + k,
                                  .columns = columns_ + column / kGroup * column_stride_ + k * kGroup,
                                  .row_stride = row_stride_,
                                  .row_block_stride = kBlockDepth,
                                  .row_group_stride = kGroup * row_stride_,
                                  .column_group_stride = column_stride_,
                                  .row_groups = std::min<int64_t>(2, (results - row) / kGroup),
                                  .column_groups = std::min<int64_t>(2, (width_ - column) / kGroup),
                                  .blocks = std::min(part / kBlockDepth, blocks - k / kBlockDepth),
                                  .out = tile + row * width_ + column,
                                  .out_stride = width_,
                                  .adds = k % kBlockSpan != 0,
                                  .adds_blocks = false,
                                  .min_magnitudes = nullptr});
        }
      }
      const int64_t next = k + part;
      if (has_spans && (next % kBlockSpan == 0 || next >= depth_))
        plan_.pixel_lanes.add_wide(tile, count_ * width_, Part(at_.sums));
    }
    if (has_spans) plan_.lanes.round(Part(at_.sums), count_ * width_, tile);
  }

  // Computes the results of a group of outputs once more where subnormal values may have occurred.
  void Recompute(int64_t column) const {
    const auto* const magnitudes = Part(at_.row_magnitudes);
    for (int64_t row = 0; row < count_; row += kGroup) {
      if (products::HaveNormalProducts(magnitudes[row / kGroup], column_magnitudes_[column / kGroup])) continue;
      MultiplyGroups(plan_, Part(at_.rows) + row * row_stride_, row_stride_,
                     columns_ + column / kGroup * column_stride_, depth_, Part(at_.tile) + row * width_ + column,
                     width_);
    }
  }

  // Adds the bias, rounds and stores.
  void Store() const {
    auto* const tile = Part(at_.tile);
    if (task_.bias != nullptr) {
      auto* const bias = Part(at_.bias);
      std::fill_n(bias, width_, 0.0F);
      for (int64_t i = 0; i < outputs_; ++i) bias[i] = BiasOf(task_, first_output_ + i);
      plan_.pixel_lanes.add_row(bias, count_, width_, tile);
    }
    auto* const dense = Part(at_.dense);
    Convert(*plan_.store, reinterpret_cast<const std::byte*>(tile), dense, count_ * width_);
    const ConvolvedTensor& output = plan_.output;
    const auto& [z, y, x] = phase_.axis;
    const int64_t steps[] = {output.axis[0] * z.stride, output.axis[1] * y.stride, output.axis[2] * x.stride};
    const bool is_line =
        (y.count == 1 || steps[1] == x.count * steps[2]) && (z.count == 1 || steps[0] == y.count * x.count * steps[2]);
    std::byte* const to = task_.output + first_output_ * output.channel + z.first * output.axis[0] +
                          y.first * output.axis[1] + x.first * output.axis[2];
    ForEachRun(is_line, [&](int64_t at, int64_t count, int64_t n, int64_t iz, int64_t iy, int64_t ix) {
      CopyBlock(kElement, outputs_, count, {dense + at * width_ * kElement, kElement, width_ * kElement},
                {to + n * output.batch + iz * steps[0] + iy * steps[1] + ix * steps[2], output.channel, steps[2]});
    });
  }

  const ConvolutionTask& task_;
  const ConvolutionPlan& plan_;
  std::byte* scratch_;
  const BlockScratch& at_;
  Phase phase_;
  int64_t first_;  // first result within the phase, counted over the batch
  int64_t count_;
  int64_t first_output_;  // counted over all groups
  int64_t outputs_;
  int64_t width_;  // outputs_, rounded up to whole groups of columns
  int64_t depth_;
  int64_t row_stride_;
  const std::byte* image_;
  const uint16_t* columns_;
  int64_t column_stride_;
  const uint16_t* column_magnitudes_;
};

}  // namespace

bool PrefersBlocks(const ConvolutionPlan& plan) {
  if (plan.Phases() > kMostPhases) return false;
  const Convolution& about = plan.about;
  const ConvolvedAxis& last = about.axis[2];
  const bool joins_taps = !about.transposed && about.groups == 1 && last.dilation == 1;
  double pixels = 1, padded = 1;
  for (const ConvolvedAxis& axis : about.axis) {
    pixels *= static_cast<double>(axis.input);
    padded *= static_cast<double>(PaddedAxis(axis, about.transposed).size);
  }
  return plan.inputs * (joins_taps ? last.kernel : 1) * plan.outputs >= kFewestOfRun &&
         MostTerms(plan) <= kMostTermsOfRow && padded <= std::max(kMostPadded, kMostPadding * pixels);
}

void PadBlocks(ConvolutionPlan* plan) {
  plan->stages_input = !HasPixels(*plan);
  for (int i = 0; i < kConvolvedAxes; ++i) {
    ConvolvedAxis& axis = plan->about.axis[i];
    const PaddedAxis padded(axis, plan->about.transposed);
    plan->stages_input |= padded.size != axis.input;
    plan->padding[i] = padded.before;
    axis.input = padded.size;
  }
}

void CutBlocks(ConvolutionPlan* plan) {
  const int64_t results = plan->batch * plan->PhaseNumber(0).Results();
  const int64_t fitting = kRowBytes / (RowStride(MostTerms(*plan)) * kElement) / kPair * kPair;
  plan->block_results = std::min(InGroups(results, kGroup), std::clamp(fitting, kPair, kMostResults));
  plan->block_outputs = InGroups(Balanced(plan->outputs, kMostOutputs), kPair);
  for (;;) {
    plan->output_blocks = CeilDivide(plan->outputs, plan->block_outputs) * plan->about.groups;
    plan->result_blocks = CeilDivide(results, plan->block_results);
    plan->chunks = plan->Phases() * plan->result_blocks * plan->output_blocks;
    int64_t& halved = plan->block_results > kPair ? plan->block_results : plan->block_outputs;
    if (plan->chunks >= kChunksWanted || (plan->block_results <= kPair && halved <= kFewestOutputsOfChunk)) return;
    halved = InGroups(halved / 2, kPair);
  }
}

void RunByBlock(const ConvolutionTask& task) {
  const BlockScratch places(task.plan);
  const WeightBlocks weights(task);
  RunChunks(task.plan.ChunksWith(places.layout.bytes()), [&](int64_t first, int64_t end, std::byte* scratch) {
    const products::BlockSession session(*task.plan.blocks);
    for (int64_t chunk = first; chunk < end; ++chunk) BlockChunk(task, weights, chunk, places, scratch).Run();
  });
}

}  // namespace portacl::loops::convolutions
