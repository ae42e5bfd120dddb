// SPDX-License-Identifier: Apache-2.0
//
// Convolution as a product of matrices: weights [outputs, inputs * taps] times the elements of the image that each
// result needs, which are packed into panels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "loops/convolutions/convolution_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

struct PanelScratch {
  explicit PanelScratch(const ConvolutionPlan& plan) {
    const int64_t terms = TermsOf(plan.inputs * plan.Kernel()).span;
    const int64_t results = plan.block_outputs * plan.block_results;
    panels = layout.Add<float>(terms * plan.lanes.panel);
    tile = layout.Add<float>(results);
    sums = layout.Add<double>(results);
    dense = layout.Add<std::byte>(plan.store->steps == 0 ? 0 : results * plan.output.bytes);
    runs = layout.Add<ResultRun>(plan.lanes.panel);
  }
  ScratchLayout layout;
  ScratchPart<float> panels, tile;
  ScratchPart<double> sums;
  ScratchPart<std::byte> dense;
  ScratchPart<ResultRun> runs;
};

// The element of the image that a term of the sums reads.
struct Term {
  int64_t input = 0;
  int64_t tap[kConvolvedAxes] = {};

  static Term Number(const Phase& phase, int64_t number) {
    Term term;
    for (int i = kConvolvedAxes; i-- > 0; number /= phase.axis[i].taps) term.tap[i] = number % phase.axis[i].taps;
    term.input = number;
    return term;
  }
  void Next(const Phase& phase) {
    for (int i = kConvolvedAxes; i-- > 0;) {
      if (++tap[i] < phase.axis[i].taps) return;
      tap[i] = 0;
    }
    ++input;
  }
};

class PanelChunk {
 public:
  PanelChunk(const ConvolutionTask& task, const ConvolutionChunk& chunk, const PanelScratch& places, std::byte* scratch)
      : task_(task), plan_(task.plan), chunk_(chunk), scratch_(scratch), at_(places) {
    const int64_t group = chunk.first_output / plan_.outputs;
    image_ = task.input + chunk.batch * task.from.batch + group * plan_.inputs * task.from.channel;
  }

  void Run() {
    auto* const tile = Part(at_.tile);
    const int64_t stride = plan_.block_results, elements = chunk_.outputs * stride;
    const int64_t span = TermsOf(chunk_.depth).span;
    double* const sums = chunk_.depth <= span ? nullptr : Part(at_.sums);
    if (chunk_.depth == 0) std::fill_n(tile, elements, 0.0F);
    for (int64_t k = 0; k < chunk_.depth; k += span) Multiply(k, std::min(span, chunk_.depth - k), sums);
    for (int64_t i = 0; i < chunk_.outputs && task_.bias != nullptr; ++i) {
      const float bias = BiasOf(task_, chunk_.first_output + i);
      for (float& result : std::span(tile + i * stride, static_cast<size_t>(chunk_.count))) result += bias;
    }
    StoreResults(task_, chunk_, tile, stride, Part(at_.dense));
  }

 private:
  template <class T>
  T* Part(ScratchPart<T> part) const {
    return part.In(scratch_);
  }

  // Adds the terms [k, k + terms) to the sums.
  void Multiply(int64_t k, int64_t terms, double* sums) {
    const products::ProductLanes& lanes = plan_.lanes;
    for (int64_t at = 0; at < chunk_.count;) {
      const bool is_narrow = chunk_.count - at <= lanes.narrow_panel;
      const int64_t width = is_narrow ? lanes.narrow_panel : lanes.panel;
      auto* const panel = Part(at_.panels);
      Pack(k, terms, at, std::min(width, chunk_.count - at), width, panel);
      for (int64_t row = 0; row < chunk_.outputs; row += lanes.rows) {
        products::PanelTile tile{.rows = chunk_.weights + row * chunk_.depth + k,
                                 .row_stride = chunk_.depth,
                                 .row_count = std::min(lanes.rows, chunk_.outputs - row),
                                 .panel = panel,
                                 .panel_step = width,
                                 .depth = terms,
                                 .block = TermsOf(chunk_.depth).block,
                                 .sums = sums == nullptr ? nullptr : sums + row * plan_.block_results + at,
                                 .sum_stride = plan_.block_results,
                                 .begins = k == 0,
                                 .ends = k + terms == chunk_.depth,
                                 .out = Part(at_.tile) + row * plan_.block_results + at,
                                 .out_stride = plan_.block_results};
        (is_narrow ? lanes.multiply_narrow : lanes.multiply)(tile);
      }
      at += width;
    }
  }

  // Packs the elements for the terms [k, k + terms) of the results [at, at + count) of the chunk.
  void Pack(int64_t k, int64_t terms, int64_t at, int64_t count, int64_t width, float* panel) {
    const auto& [z, y, x] = chunk_.phase.axis;
    const ConvolvedAxis* const axis = plan_.about.axis;
    auto* const runs = Part(at_.runs);
    int64_t run_count = 0;
    for (int64_t done = 0; done < count; done += runs[run_count++].count)
      runs[run_count] = RunAt(chunk_, at + done, count - done);
    Term term = Term::Number(chunk_.phase, k);
    for (int64_t i = 0; i < terms; ++i, panel += width, term.Next(chunk_.phase)) {
      const std::byte* const channel = image_ + term.input * task_.from.channel;
      const int64_t oz = z.offset + term.tap[0] * z.offset_step, oy = y.offset + term.tap[1] * y.offset_step,
                    ox = x.offset + term.tap[2] * x.offset_step;
      for (int64_t r = 0; r < run_count; ++r) {
        const ResultRun& run = runs[r];
        const int64_t iz = run.place[0] * z.step + oz, iy = run.place[1] * y.step + oy;
        float* const to = panel + (run.at - at);
        if (iz < 0 || iz >= axis[0].input || iy < 0 || iy >= axis[1].input) {
          std::fill_n(to, run.count, 0.0F);
          continue;
        }
        const auto* const row =
            reinterpret_cast<const float*>(channel + iz * task_.from.axis[0] + iy * task_.from.axis[1]);
        FillRun(row, run.place[2] * x.step + ox, x.step, axis[2].input, run.count, to);
      }
      std::fill(panel + count, panel + width, 0.0F);
    }
  }

  const ConvolutionTask& task_;
  const ConvolutionPlan& plan_;
  const ConvolutionChunk& chunk_;
  std::byte* scratch_;
  const PanelScratch& at_;
  const std::byte* image_;
};

}  // namespace

void RunByPanel(const ConvolutionTask& task) {
  const PanelScratch places(task.plan);
  ForEachChunk(task.plan.ChunksWith(places.layout.bytes()), [&](int64_t number, std::byte* scratch) {
    const ConvolutionChunk chunk(task, number);
    if (chunk.count > 0) PanelChunk(task, chunk, places, scratch).Run();
  });
}

}  // namespace portacl::loops::convolutions
