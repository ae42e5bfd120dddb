// SPDX-License-Identifier: Apache-2.0
//
// Convolution with output channels in the lanes. A zone is a box of results that need the same taps, inside the image
// or at one of its borders. All results of a zone find their elements at the same distances from their first one, and
// no term reads padding.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loops/convolutions/convolution_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

// The most sums, and the most results, of a chunk.
constexpr int64_t kChunkSums = 1 << 15;
constexpr int64_t kMostResults = 1024;
constexpr int64_t kFewestResults = 64;
constexpr int64_t kChunksWanted = 4;
constexpr int64_t kBlocksTogether = 2;  // blocks of outputs

// With a single tap, transposing an image first, so that its channels become neighbours, pays off only up to this size
// and from this many outputs on.
constexpr int64_t kMostTransposed = 1024;
constexpr int64_t kFewestOutputs = 8;

// Taps [first, end) of an axis.
struct Taps {
  int64_t first = 0;
  int64_t end = 0;
  bool operator==(const Taps&) const = default;
};

// The taps of a result that lie within the image.
Taps TapsOf(const AxisPhase& axis, int64_t size, int64_t result) {
  if (axis.taps == 0) return {};
  const int64_t base = axis.step * result + axis.offset, step = axis.offset_step;
  const int64_t last = base + (axis.taps - 1) * step;
  if (std::min(base, last) >= 0 && std::max(base, last) < size) return {0, axis.taps};
  Taps taps;
  if (step > 0) {
    if (base < 0) taps.first = CeilDivide(-base, step);
    if (base < size) taps.end = std::min(axis.taps, (size - 1 - base) / step + 1);
  } else {
    if (base >= size) taps.first = CeilDivide(base - size + 1, -step);
    if (base >= 0) taps.end = std::min(axis.taps, base / -step + 1);
  }
  return taps.first < taps.end ? taps : Taps();
}

// Results [first, end) of an axis that have the same taps.
struct Zone {
  Zone(const AxisPhase& axis, int64_t size, int64_t from, int64_t limit)
      : first(from), end(from + 1), taps(TapsOf(axis, size, from)) {
    while (end < limit && TapsOf(axis, size, end) == taps) ++end;
  }
  int64_t first;
  int64_t end;
  Taps taps;
};

int64_t MostRuns(const ConvolutionPlan& plan) { return plan.Kernel() * (CeilDivide(plan.inputs, kTermsOfBlock) + 1); }

int64_t BoxResults(const ConvolutionPlan& plan) { return plan.box[0] * plan.box[1] * plan.box[2] * plan.box[3]; }

struct PixelScratch {
  explicit PixelScratch(const ConvolutionPlan& plan) {
    const int64_t results = BoxResults(plan), sums_of = results * plan.block_outputs;
    tile = layout.Add<float>(sums_of);
    beyond = layout.Add<float>(plan.block_outputs);
    bias = layout.Add<float>(plan.block_outputs);
    sums = layout.Add<double>(HasSpans(plan) ? sums_of : 0);
    dense = layout.Add<std::byte>(plan.store->steps == 0 ? 0 : sums_of * plan.output.bytes);
    rows = layout.Add<PixelRow>(results + 1);
    runs = layout.Add<PixelRun>(MostRuns(plan));
  }
  static bool HasSpans(const ConvolutionPlan& plan) { return plan.inputs * plan.Kernel() > kTermsOfSpan; }
  ScratchLayout layout;
  ScratchPart<float> tile, beyond, bias;
  ScratchPart<double> sums;
  ScratchPart<std::byte> dense;
  ScratchPart<PixelRow> rows;
  ScratchPart<PixelRun> runs;
};

class PixelChunk {
 public:
  PixelChunk(const ConvolutionTask& task, int64_t number, const PixelScratch& places, std::byte* scratch)
      : task_(task), plan_(task.plan), scratch_(scratch), at_(places) {
    const auto take = [&](int64_t size) {
      const int64_t at = number % size;
      number /= size;
      return at;
    };
    const int64_t groups = plan_.about.groups, lanes = plan_.pixel_lanes.lanes, padded = plan_.PaddedOutputs();
    const int64_t first_output = take(plan_.output_blocks / groups) * plan_.block_outputs;
    group_ = take(groups);
    for (int i = kConvolvedAxes; i >= 0; --i) first_[i] = take(plan_.box_blocks[i]) * plan_.box[i];
    const int64_t phase_number = take(plan_.Phases());
    phase_ = plan_.PhaseNumber(phase_number);
    count_[0] = std::min(plan_.box[0], plan_.batch - first_[0]);
    for (int i = 0; i < kConvolvedAxes; ++i)
      count_[i + 1] = std::min(plan_.box[i + 1], phase_.axis[i].count - first_[i + 1]);
    first_vector_ = first_output / lanes;
    outputs_ = std::min(plan_.block_outputs, plan_.outputs - first_output);
    width_ = std::min(plan_.block_outputs, padded - first_output);
    depth_ = plan_.inputs * phase_.Taps();
    panels_ = task.weights + groups * padded * plan_.inputs * task.first_taps[phase_number] + group_ * padded * depth_;
    image_ = task.input + first_[0] * task.from.batch + group_ * plan_.inputs * task.from.channel;
  }

  void Run() {
    if (*std::min_element(count_, count_ + 1 + kConvolvedAxes) <= 0) return;  // this phase has fewer results
    if (HasSpans()) std::fill_n(Part(at_.sums), Results() * width_, 0.0);
    const auto& [z, y, x] = phase_.axis;
    const ConvolvedAxis* const axis = plan_.about.axis;
    const int64_t end[] = {first_[1] + count_[1], first_[2] + count_[2], first_[3] + count_[3]};
    for (int64_t iz = first_[1]; iz < end[0];) {
      const Zone of_z(z, axis[0].input, iz, end[0]);
      for (int64_t iy = first_[2]; iy < end[1];) {
        const Zone of_y(y, axis[1].input, iy, end[1]);
        for (int64_t ix = first_[3]; ix < end[2];) {
          const Zone of_x(x, axis[2].input, ix, end[2]);
          RunZone(of_z, of_y, of_x);
          ix = of_x.end;
        }
        iy = of_y.end;
      }
      iz = of_z.end;
    }
    Store();
  }

 private:
  template <class T>
  T* Part(ScratchPart<T> part) const {
    return part.In(scratch_);
  }

  bool HasSpans() const { return PixelScratch::HasSpans(plan_); }
  int64_t Results() const { return count_[0] * count_[1] * count_[2] * count_[3]; }

  void RunZone(const Zone& z, const Zone& y, const Zone& x) {
    const bool is_empty = z.taps == Taps() || y.taps == Taps() || x.taps == Taps();
    const int64_t row_count = SetRows(z, y, x, is_empty);
    auto* const rows = Part(at_.rows);
    if (is_empty) {
      for (int64_t i = 0; i < row_count; ++i) std::fill_n(rows[i].to, width_, 0.0F);
      return;
    }
    if (row_count % 2 != 0) rows[row_count] = {rows[0].from, Part(at_.beyond)};
    const auto* const runs = Part(at_.runs);
    const int64_t run_count = SetRuns(z.taps, y.taps, x.taps);
    PixelTile tile{.rows = rows,
                   .row_count = row_count + row_count % 2,
                   .runs = nullptr,
                   .run_count = 0,
                   .weights = nullptr,
                   .vectors = 0,
                   .column = 0,
                   .adds = false};
    int64_t added = 0;  // terms of the current span
    for (int64_t first = 0; first < run_count;) {
      int64_t end = first, terms = 0;
      do {
        terms += runs[end++].count;
      } while (end < run_count && terms + runs[end].count <= kTermsOfBlock);
      tile.runs = runs + first;
      tile.run_count = end - first;
      tile.adds = added != 0;
      Multiply(&tile);
      first = end;
      added += terms;
      if (HasSpans() && (first == run_count || added >= kTermsOfSpan)) {
        for (int64_t i = 0; i < row_count; ++i)
          plan_.pixel_lanes.add_wide(rows[i].to, width_, Part(at_.sums) + (rows[i].to - Part(at_.tile)));
        added = 0;
      }
    }
  }

  // Computes all outputs of the chunk.
  void Multiply(PixelTile* tile) const {
    const int64_t lanes = plan_.pixel_lanes.lanes;
    for (int64_t column = 0; column < width_; column += tile->vectors * lanes) {
      const int64_t vector = first_vector_ + column / lanes;
      tile->vectors = PixelVectors(plan_, vector);
      tile->weights = panels_ + vector * lanes * depth_;
      tile->column = column;
      plan_.pixel_lanes.multiply(*tile);
    }
  }

  // Returns the number of rows.
  int64_t SetRows(const Zone& z, const Zone& y, const Zone& x, bool is_empty) const {
    const int64_t* const stride = task_.from.axis;
    const auto place = [&](int axis, int64_t result, const Taps& taps) {
      const AxisPhase& phase = phase_.axis[axis];
      return is_empty ? 0 : (phase.step * result + phase.offset + taps.first * phase.offset_step) * stride[axis];
    };
    const int64_t x_step = is_empty ? 0 : phase_.axis[2].step * stride[2] / kFloatBytes;
    auto* row = Part(at_.rows);
    for (int64_t n = 0; n < count_[0]; ++n) {
      for (int64_t iz = z.first; iz < z.end; ++iz) {
        for (int64_t iy = y.first; iy < y.end; ++iy) {
          const auto* from = reinterpret_cast<const float*>(image_ + n * task_.from.batch + place(0, iz, z.taps) +
                                                            place(1, iy, y.taps) + place(2, x.first, x.taps));
          const int64_t number = ((n * count_[1] + iz - first_[1]) * count_[2] + iy - first_[2]) * count_[3];
          float* to = Part(at_.tile) + (number + x.first - first_[3]) * width_;
          for (int64_t ix = x.first; ix < x.end; ++ix, ++row, from += x_step, to += width_) *row = {from, to};
        }
      }
    }
    return row - Part(at_.rows);
  }

  // Sets the runs of the terms of a zone, in their order; returns the number of runs.
  int64_t SetRuns(const Taps& z, const Taps& y, const Taps& x) const {
    const AxisPhase* const axis = phase_.axis;
    const int64_t inputs = plan_.inputs;
    const auto step = [&](int i) { return axis[i].offset_step * task_.from.axis[i] / kFloatBytes; };
    // Inputs of neighbouring taps are contiguous.
    const bool runs_on = step(2) == inputs;
    const int64_t together = runs_on ? x.end - x.first : 1;
    auto* run = Part(at_.runs);
    for (int64_t tz = z.first; tz < z.end; ++tz) {
      for (int64_t ty = y.first; ty < y.end; ++ty) {
        for (int64_t tx = x.first; tx < x.end; tx += together) {
          PixelRun next = {(tz - z.first) * step(0) + (ty - y.first) * step(1) + (tx - x.first) * step(2),
                           ((tz * axis[1].taps + ty) * axis[2].taps + tx) * inputs, 0};
          int64_t left = together * inputs;
          const int64_t size = Balanced(left, kTermsOfBlock);
          for (; left > 0; left -= next.count, next.element += next.count, next.term += next.count) {
            next.count = std::min(size, left);
            *run++ = next;
          }
        }
      }
    }
    return run - Part(at_.runs);
  }

  // Rounds, adds the bias and stores.
  void Store() const {
    auto* const tile = Part(at_.tile);
    const int64_t results = Results(), first_output = group_ * plan_.outputs + first_vector_ * plan_.pixel_lanes.lanes;
    if (HasSpans()) plan_.lanes.round(Part(at_.sums), results * width_, tile);
    if (task_.bias != nullptr) {
      auto* const bias = Part(at_.bias);
      std::fill_n(bias, width_, 0.0F);
      for (int64_t i = 0; i < outputs_; ++i)
        Convert(*plan_.load_bias, task_.bias + (first_output + i) * plan_.bias.channel,
                reinterpret_cast<std::byte*>(bias + i), 1);
      plan_.pixel_lanes.add_row(bias, results, width_, tile);
    }
    auto* from = reinterpret_cast<std::byte*>(tile);
    const ConvolvedTensor& output = plan_.output;
    if (plan_.store->steps != 0) {
      Convert(*plan_.store, from, Part(at_.dense), results * width_);
      from = Part(at_.dense);
    }
    const auto& [z, y, x] = phase_.axis;
    const int64_t steps[] = {output.axis[0] * z.stride, output.axis[1] * y.stride, output.axis[2] * x.stride};
    // Joins rows of results that are contiguous in the output, to store them together.
    int64_t run = count_[3], y_count = count_[2], z_count = count_[1];
    if (y_count == 1 || steps[1] == run * steps[2]) run *= y_count, y_count = 1;
    if (y_count == 1 && (z_count == 1 || steps[0] == run * steps[2])) run *= z_count, z_count = 1;
    std::byte* const to = task_.output + first_[0] * output.batch + first_output * output.channel +
                          z.first * output.axis[0] + y.first * output.axis[1] + x.first * output.axis[2] +
                          first_[1] * steps[0] + first_[2] * steps[1] + first_[3] * steps[2];
    for (int64_t n = 0; n < count_[0]; ++n) {
      for (int64_t iz = 0; iz < z_count; ++iz) {
        for (int64_t iy = 0; iy < y_count; ++iy, from += run * width_ * output.bytes)
          CopyBlock(output.bytes, outputs_, run, {from, output.bytes, width_ * output.bytes},
                    {to + n * output.batch + iz * steps[0] + iy * steps[1], output.channel, steps[2]});
      }
    }
  }

  const ConvolutionTask& task_;
  const ConvolutionPlan& plan_;
  std::byte* scratch_;
  const PixelScratch& at_;
  Phase phase_;
  int64_t group_;
  int64_t first_[1 + kConvolvedAxes];  // first result along the batch and along each axis
  int64_t count_[1 + kConvolvedAxes];
  int64_t first_vector_;  // first register of outputs within the group
  int64_t outputs_;
  int64_t width_;  // outputs_, rounded up to whole registers
  int64_t depth_;
  const float* panels_;
  const std::byte* image_;
};

}  // namespace

bool HasPixels(const ConvolutionPlan& plan) {
  // Only contiguous pixels: which terms make a block must not depend on strides.
  const int64_t channels = plan.about.groups * plan.inputs;
  const int64_t bytes = plan.staged_bytes;
  return plan.input.bytes == bytes && (channels == 1 || plan.input.channel == bytes) &&
         (plan.about.axis[2].input == 1 || plan.input.axis[2] == channels * bytes);
}

void CutPixels(ConvolutionPlan* plan) {
  const Phase largest = plan->PhaseNumber(0);
  const int64_t lanes = plan->pixel_lanes.lanes, vectors = plan->PaddedOutputs() / lanes;
  // The first output of a chunk is a multiple of block_outputs. So blocks are grouped where they have one size;
  // otherwise a single chunk takes all of them.
  int64_t together =
      vectors % PixelVectors(*plan, 0) == 0 ? kBlocksTogether : CeilDivide(vectors, PixelVectors(*plan, 0));
  int64_t most = kMostResults;
  for (;; most /= 2) {
    plan->block_outputs = std::min(plan->PaddedOutputs(), together * PixelVectors(*plan, 0) * lanes);
    plan->output_blocks = CeilDivide(plan->PaddedOutputs(), plan->block_outputs) * plan->about.groups;
    int64_t left = std::clamp(kChunkSums / plan->block_outputs, kFewestResults, most);
    plan->chunks = plan->Phases() * plan->output_blocks;
    for (int i = kConvolvedAxes; i >= 0; --i) {
      const int64_t count = i == 0 ? plan->batch : largest.axis[i - 1].count;
      plan->box[i] = Balanced(count, std::max<int64_t>(left, 1));
      plan->box_blocks[i] = CeilDivide(count, plan->box[i]);
      plan->chunks *= plan->box_blocks[i];
      left /= plan->box[i];
    }
    if (plan->chunks >= kChunksWanted || most <= kFewestResults) return;
  }
}

void PadPixels(ConvolutionPlan* plan) {
  ConvolvedAxis* const axis = plan->about.axis;
  // Only where a result has more taps than there are results, as in gradients of weights.
  if (plan->about.transposed || plan->Kernel() <= axis[0].output * axis[1].output * axis[2].output) return;
  for (int i = 0; i < kConvolvedAxes; ++i) {
    const int64_t reach = (axis[i].output - 1) * axis[i].stride + (axis[i].kernel - 1) * axis[i].dilation + 1;
    if (axis[i].before == 0 && reach <= axis[i].input) continue;
    plan->padding[i] = axis[i].before;
    axis[i].input = std::max(axis[i].input + axis[i].before, reach);
    axis[i].before = 0;
    plan->stages_input = true;
  }
}

bool PrefersPixels(const ConvolutionPlan& plan) {
  const ConvolvedAxis* const axis = plan.about.axis;
  if (plan.Kernel() > 1 || HasPixels(plan)) return true;
  return plan.outputs >= kFewestOutputs && axis[0].output * axis[1].output * axis[2].output <= kMostTransposed;
}

void RunByPixel(const ConvolutionTask& task) {
  const PixelScratch places(task.plan);
  ForEachChunk(task.plan.ChunksWith(places.layout.bytes()),
               [&](int64_t number, std::byte* scratch) { PixelChunk(task, number, places, scratch).Run(); });
}

}  // namespace portacl::loops::convolutions
