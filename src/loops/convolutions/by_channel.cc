// SPDX-License-Identifier: Apache-2.0
//
// Convolution, one output channel at a time, where an output has few inputs (depthwise) or an input has few outputs. A
// row of results is a weighted sum of rows of the image. These rows are read in place or, at the borders and with
// strides, from contiguous copies of the elements that the results need.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loops/convolutions/convolution_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

struct ChannelScratch {
  explicit ChannelScratch(const ConvolutionPlan& plan) {
    const int64_t depth = plan.inputs * plan.Kernel();
    const ConvolvedAxis& last = plan.about.axis[2];
    const int64_t results = plan.block_outputs * plan.block_results, reach = (last.kernel - 1) * last.dilation;
    copies_taps = (!plan.about.transposed && last.stride != 1) || reach > plan.block_results;
    row = plan.block_results + (copies_taps ? 0 : reach);
    taps = layout.Add<const float*>(depth);
    tile = layout.Add<float>(results);
    dense = layout.Add<std::byte>(2 * results * plan.output.bytes);  // for converted and for transposed results
    zeros = layout.Add<float>(row);
    rows = layout.Add<float>((copies_taps ? depth : depth / last.kernel) * row);
  }
  bool copies_taps;  // each tap has its own copy: its elements are strided, or taps are far apart
  int64_t row;       // elements per copied row
  ScratchLayout layout;
  ScratchPart<const float*> taps;
  ScratchPart<float> tile, zeros, rows;
  ScratchPart<std::byte> dense;
};

class ChannelChunk {
 public:
  ChannelChunk(const ConvolutionTask& task, const ConvolutionChunk& chunk, const ChannelScratch& places,
               std::byte* scratch)
      : task_(task), plan_(task.plan), chunk_(chunk), scratch_(scratch), at_(places) {}

  void Run() {
    auto* const tile = Part(at_.tile);
    std::fill_n(Part(at_.zeros), at_.row, 0.0F);
    for (int64_t i = 0; i < chunk_.outputs; ++i) {
      const int64_t group = (chunk_.first_output + i) / plan_.outputs;
      const float bias = BiasOf(task_, chunk_.first_output + i);
      image_ = task_.input + chunk_.batch * task_.from.batch + group * plan_.inputs * task_.from.channel;
      for (int64_t at = 0; at < chunk_.count;) {
        const ResultRun run = RunAt(chunk_, at, chunk_.count - at);
        SetTaps(run);
        plan_.sum_taps(Part(at_.taps), chunk_.weights + i * chunk_.depth, chunk_.depth, bias,
                       tile + i * plan_.block_results + at, run.count);
        at += run.count;
      }
    }
    StoreResults(task_, chunk_, tile, plan_.block_results, Part(at_.dense));
  }

 private:
  template <class T>
  T* Part(ScratchPart<T> part) const {
    return part.In(scratch_);
  }

  // Sets a pointer for each term, in the order of the weights.
  void SetTaps(const ResultRun& run) {
    const auto& [z, y, x] = chunk_.phase.axis;
    if (x.taps == 0) return;  // a transposed convolution whose stride steps over these results
    const ConvolvedAxis* const axis = plan_.about.axis;
    const float** taps = Part(at_.taps);
    auto* copy = Part(at_.rows);
    for (int64_t input = 0; input < plan_.inputs; ++input) {
      for (int64_t tz = 0; tz < z.taps; ++tz) {
        const int64_t iz = run.place[0] * z.step + z.offset + tz * z.offset_step;
        for (int64_t ty = 0; ty < y.taps; ++ty, taps += x.taps) {
          const int64_t iy = run.place[1] * y.step + y.offset + ty * y.offset_step;
          if (iz < 0 || iz >= axis[0].input || iy < 0 || iy >= axis[1].input) {
            std::fill_n(taps, x.taps, Part(at_.zeros));
            continue;
          }
          const std::byte* const row =
              image_ + input * task_.from.channel + iz * task_.from.axis[0] + iy * task_.from.axis[1];
          copy = SetRow(reinterpret_cast<const float*>(row), run, copy, taps);
        }
      }
    }
  }

  // Returns the address for the next copy.
  float* SetRow(const float* row, const ResultRun& run, float* copy, const float** taps) const {
    const AxisPhase& x = chunk_.phase.axis[2];
    const int64_t width = plan_.about.axis[2].input, first = run.place[2] * x.step + x.offset;
    if (at_.copies_taps) {
      for (int64_t t = 0; t < x.taps; ++t, copy += at_.row) {
        FillRun(row, first + t * x.offset_step, x.step, width, run.count, copy);
        taps[t] = copy;
      }
      return copy;
    }
    const int64_t last = (x.taps - 1) * x.offset_step, low = first + std::min<int64_t>(last, 0);
    const int64_t count = run.count + (last < 0 ? -last : last);
    const bool is_inside = low >= 0 && low + count <= width;
    if (!is_inside) FillRun(row, low, 1, width, count, copy);
    const float* const from = is_inside ? row + first : copy + (first - low);
    for (int64_t t = 0; t < x.taps; ++t) taps[t] = from + t * x.offset_step;
    return is_inside ? copy : copy + at_.row;
  }

  const ConvolutionTask& task_;
  const ConvolutionPlan& plan_;
  const ConvolutionChunk& chunk_;
  std::byte* scratch_;
  const ChannelScratch& at_;
  const std::byte* image_ = nullptr;
};

}  // namespace

void RunByChannel(const ConvolutionTask& task) {
  const ChannelScratch places(task.plan);
  ForEachChunk(task.plan.ChunksWith(places.layout.bytes()), [&](int64_t number, std::byte* scratch) {
    const ConvolutionChunk chunk(task, number);
    if (chunk.count > 0) ChannelChunk(task, chunk, places, scratch).Run();
  });
}

}  // namespace portacl::loops::convolutions
