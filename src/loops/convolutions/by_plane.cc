// SPDX-License-Identifier: Apache-2.0
//
// Convolution, one output channel at a time, where rows are short. The image is copied with its padding, into several
// planes if there is a stride, so that the elements that a tap needs for all results of a chunk are contiguous. Rows of
// results then have as many extra columns as the taps reach beyond the row.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loops/convolutions/convolution_plan.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::convolutions {
namespace {

constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

constexpr int64_t kMostTaps = 64;
constexpr int64_t kLongestRow = 64;
constexpr int64_t kPlaneResults = 1024;

// Taps along one axis. Result i needs, for tap t, element i + shift[t] of the plane plane[t]. A plane p holds every
// step-th element of the image from residue[p] on; its elements are stored from number `first` on.
struct PlaneAxis {
  explicit PlaneAxis(const AxisPhase& axis) : step(axis.step) {
    for (int64_t t = 0; t < axis.taps; ++t) {
      const int64_t at = axis.offset + t * axis.offset_step;
      const int64_t rest = (at % step + step) % step;
      shift[t] = (at - rest) / step;
      plane[t] = std::find(residue, residue + planes, rest) - residue;
      if (plane[t] == planes) residue[planes++] = rest;
      first = t == 0 ? shift[t] : std::min(first, shift[t]);
      last = t == 0 ? shift[t] : std::max(last, shift[t]);
    }
  }
  int64_t step;
  int64_t planes = 0;
  int64_t first = 0, last = 0;
  int64_t shift[kMostTaps];
  int64_t plane[kMostTaps];
  int64_t residue[kMostTaps];
};

struct PlaneScratch {
  PlaneScratch(const ConvolutionPlan& plan, const PlaneAxis& y, const PlaneAxis& x) {
    const int64_t width = plan.about.axis[2].output, rows = plan.block_results / width;
    const int64_t results = plan.block_outputs * plan.block_results;
    pitch = width + x.last - x.first;
    plane_size = (rows + y.last - y.first) * pitch;
    taps = layout.Add<const float*>(plan.inputs * plan.Kernel());
    tile = layout.Add<float>(results);
    dense = layout.Add<std::byte>(2 * results * plan.output.bytes);  // for converted and for transposed results
    sums = layout.Add<float>(rows * pitch);
    planes = layout.Add<float>(plan.inputs * y.planes * x.planes * plane_size);
  }
  int64_t pitch;
  int64_t plane_size;
  ScratchLayout layout;
  ScratchPart<const float*> taps;
  ScratchPart<float> tile, sums, planes;
  ScratchPart<std::byte> dense;
};

class PlaneChunk {
 public:
  PlaneChunk(const ConvolutionTask& task, const ConvolutionChunk& chunk, const PlaneAxis& y, const PlaneAxis& x,
             const PlaneScratch& places, std::byte* scratch)
      : task_(task), plan_(task.plan), chunk_(chunk), scratch_(scratch), y_(y), x_(x), at_(places) {}

  void Run() {
    const int64_t width = plan_.about.axis[2].output, rows = chunk_.count / width;
    auto *const tile = Part(at_.tile), *const sums = Part(at_.sums);
    // The copies do not write the padding.
    std::fill_n(Part(at_.planes), plan_.inputs * y_.planes * x_.planes * at_.plane_size, 0.0F);
    SetTaps();
    // Rows of FLOAT go to the output at once: to pass them through a tile takes a quarter of the time of a depthwise
    // layer.
    const ConvolvedTensor& output = plan_.output;
    const bool stores = plan_.store->steps == 0 && output.axis[2] == kFloatBytes;
    std::byte* const first = task_.output + chunk_.batch * output.batch + chunk_.first_output * output.channel +
                             chunk_.first / width * output.axis[1];
    for (int64_t i = 0; i < chunk_.outputs; ++i) {
      CopyPlanes((chunk_.first_output + i) / plan_.outputs * plan_.inputs, rows);
      plan_.sum_taps(Part(at_.taps), chunk_.weights + i * chunk_.depth, chunk_.depth,
                     BiasOf(task_, chunk_.first_output + i), sums, (rows - 1) * at_.pitch + width);
      float* const to = stores ? reinterpret_cast<float*>(first + i * output.channel) : tile + i * plan_.block_results;
      plan_.take_rows(sums, at_.pitch, 1, rows, width, to, stores ? output.axis[1] / kFloatBytes : width);
    }
    if (stores) return;
    StoreResults(task_, chunk_, tile, plan_.block_results, Part(at_.dense));
  }

 private:
  template <class T>
  T* Part(ScratchPart<T> part) const {
    return part.In(scratch_);
  }

  float* Plane(int64_t input, int64_t y, int64_t x) const {
    return Part(at_.planes) + ((input * y_.planes + y) * x_.planes + x) * at_.plane_size;
  }

  // Sets a pointer for each term, in the order of the weights. The planes of all channels of a chunk reuse the same
  // memory.
  void SetTaps() const {
    const float** taps = Part(at_.taps);
    const int64_t y_taps = chunk_.phase.axis[1].taps, x_taps = chunk_.phase.axis[2].taps;
    for (int64_t input = 0; input < plan_.inputs; ++input) {
      for (int64_t ty = 0; ty < y_taps; ++ty) {
        for (int64_t tx = 0; tx < x_taps; ++tx, ++taps)
          *taps = Plane(input, y_.plane[ty], x_.plane[tx]) + (y_.shift[ty] - y_.first) * at_.pitch + x_.shift[tx] -
                  x_.first;
      }
    }
  }

  // The elements [first, end) of a stored plane that lie within the image; the stored plane starts at element `begin`.
  struct Inside {
    Inside(const PlaneAxis& axis, int64_t residue, int64_t begin, int64_t count, int64_t size)
        : first(std::clamp<int64_t>(-begin, 0, count)),
          end(std::clamp(CeilDivide(size - residue, axis.step) - begin, first, count)),
          element((begin + first) * axis.step + residue) {}
    int64_t first;
    int64_t end;
    int64_t element;  // position of element `first` in the image
  };

  void CopyPlanes(int64_t channel, int64_t rows) const {
    const ConvolvedAxis* const axis = plan_.about.axis;
    const int64_t row_stride = task_.from.axis[1] / kFloatBytes, first_row = chunk_.first / axis[2].output;
    const std::byte* image = task_.input + chunk_.batch * task_.from.batch + channel * task_.from.channel;
    for (int64_t input = 0; input < plan_.inputs; ++input, image += task_.from.channel) {
      for (int64_t py = 0; py < y_.planes; ++py) {
        const Inside y(y_, y_.residue[py], first_row + y_.first, rows + y_.last - y_.first, axis[1].input);
        for (int64_t px = 0; px < x_.planes; ++px) {
          const Inside x(x_, x_.residue[px], x_.first, at_.pitch, axis[2].input);
          if (y.first >= y.end || x.first >= x.end) continue;
          plan_.take_rows(reinterpret_cast<const float*>(image) + y.element * row_stride + x.element,
                          y_.step * row_stride, x_.step, y.end - y.first, x.end - x.first,
                          Plane(input, py, px) + y.first * at_.pitch + x.first, at_.pitch);
        }
      }
    }
  }

  const ConvolutionTask& task_;
  const ConvolutionPlan& plan_;
  const ConvolutionChunk& chunk_;
  std::byte* scratch_;
  const PlaneAxis &y_, &x_;
  const PlaneScratch& at_;
};

}  // namespace

bool PrefersPlanes(const ConvolutionPlan& plan) {
  const ConvolvedAxis* const axis = plan.about.axis;
  const bool is_image = axis[0].input == 1 && axis[0].output == 1 && axis[0].kernel == 1 && axis[0].before == 0;
  const int64_t reach = (axis[2].kernel - 1) * axis[2].dilation;
  return plan.by_channel && plan.Phases() == 1 && is_image && axis[1].output > 1 && axis[2].output <= kLongestRow &&
         reach <= kLongestRow && plan.inputs * plan.Kernel() <= kMostTaps;
}

void CutPlanes(ConvolutionPlan* plan) {
  const int64_t width = plan->about.axis[2].output, height = plan->about.axis[1].output;
  const int64_t rows = std::clamp<int64_t>(kPlaneResults / width, 1, height);
  plan->block_results = CeilDivide(height, CeilDivide(height, rows)) * width;
}

void RunByPlane(const ConvolutionTask& task) {
  const Phase phase = task.plan.PhaseNumber(0);
  const PlaneAxis y(phase.axis[1]), x(phase.axis[2]);
  const PlaneScratch places(task.plan, y, x);
  ForEachChunk(task.plan.ChunksWith(places.layout.bytes()), [&](int64_t number, std::byte* scratch) {
    const ConvolutionChunk chunk(task, number);
    if (chunk.count > 0) PlaneChunk(task, chunk, y, x, places, scratch).Run();
  });
}

}  // namespace portacl::loops::convolutions
