// SPDX-License-Identifier: Apache-2.0
//
// Single elements go anywhere in a contiguous output: see combine_elements.h.
#include <atomic>
#include <cstring>

#include "loops/moves/combine_elements.h"
#include "loops/moves/scatter_positions.h"

namespace portacl::loops::moves {
namespace {

// The positions of a scatter.
class PlacedPositions final : public PlacedElements {
 public:
  explicit PlacedPositions(const ScatterRun& run)
      : run_(run),
        positions_(run.plan.positions),
        bytes_(run.plan.bytes),
        index_bytes_(positions_.names.indices.is_wide ? kWideBytes : int64_t{sizeof(int32_t)}) {
    const Names& names = positions_.names;
    named_step_ = names.flat.rank == 0 ? 0 : names.flat.strides[0] / bytes_;
    is_narrow_ =
        run.plan.narrow != nullptr && names.is_flat && names.flat.rank <= 1 && RunsOn(positions_.index, index_bytes_);
    names_all_ = named_step_ == 1 && (positions_.out.rank == 0 || positions_.out.strides[0] == 0);
    reads_in_place_ = run.plan.what.source != kNothing && RunsOn(positions_.source, bytes_);
  }

  bool good() const { return good_.load(std::memory_order_relaxed); }
  int64_t count() const override { return positions_.count; }

  PlacedPiece Read(int64_t first, int64_t n, Buffer& buffer) const override {
    if (!is_narrow_ ||
        !run_.plan.narrow(run_.index + first * index_bytes_, n, positions_.names.indices.limit, buffer.places))
      return ReadEach(first, n, buffer);
    if (!names_all_) {
      uint32_t* places = buffer.places;
      ForEachPositionRun(positions_, first, first + n, [&](const PositionRun& of) {
        const auto named_step = static_cast<uint32_t>(named_step_), step = static_cast<uint32_t>(of.out_step / bytes_);
        auto out = static_cast<uint32_t>(of.out / bytes_);
        for (int64_t k = 0; k < of.count; ++k, out += step) places[k] = places[k] * named_step + out;
        places += of.count;
      });
    }
    if (reads_in_place_) return {n, buffer.places, run_.source + first * bytes_};
    std::byte* elements = buffer.elements;
    ForEachPositionRun(positions_, first, first + n, [&](const PositionRun& of) {
      const bool is_value = run_.plan.what.source == kNothing;
      CopyBlock(bytes_, 1, of.count,
                {const_cast<std::byte*>(run_.source) + (is_value ? 0 : of.source), 0, is_value ? 0 : of.source_step},
                {elements, 0, bytes_});
      elements += of.count * bytes_;
    });
    return {n, buffer.places, buffer.elements};
  }

 private:
  static bool RunsOn(const Places& places, int64_t bytes) {
    return places.rank == 0 || (places.rank == 1 && places.strides[0] == bytes);
  }

  PlacedPiece ReadEach(int64_t first, int64_t n, Buffer& buffer) const {
    int64_t read = 0;
    const bool good = ForEachPosition(run_, first, first + n, [&](int64_t place, int64_t source) {
      buffer.places[read] = static_cast<uint32_t>(place / bytes_);
      std::memcpy(buffer.elements + read++ * bytes_, run_.source + source, static_cast<size_t>(bytes_));
    });
    if (!good) good_.store(false, std::memory_order_relaxed);
    return {read, buffer.places, buffer.elements};
  }

  const ScatterRun& run_;
  const Positions& positions_;
  const int64_t bytes_;
  const int64_t index_bytes_;
  int64_t named_step_;  // in elements
  bool is_narrow_;
  bool names_all_;  // indices are places
  bool reads_in_place_;
  mutable std::atomic<bool> good_{true};
};

template <auto kCombine>
bool ScatterPlaced(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  const PlacedPositions placed(run);
  kCombine({.combiner = plan.combiner,
            .lanes = plan.lanes,
            .combine = plan.what.combine,
            .includes_self = plan.what.includes_self,
            .factor = plan.what.factor,
            .dtype = plan.dtype,
            .bytes = plan.bytes,
            .elements = plan.elements,
            .before = run.before,
            .out = run.out},
           placed);
  return placed.good();
}

}  // namespace

bool ReplaceSpans(const ScatterRun& run) { return ScatterPlaced<ReplaceInSpans>(run); }
bool CombineAll(const ScatterRun& run) { return ScatterPlaced<CombineInAll>(run); }
bool CombineSpans(const ScatterRun& run) { return ScatterPlaced<CombineInSpans>(run); }
bool CombineFew(const ScatterRun& run) { return ScatterPlaced<CombineOneByOne>(run); }

}  // namespace portacl::loops::moves
