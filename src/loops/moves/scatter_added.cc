// SPDX-License-Identifier: Apache-2.0
//
// Elements that are added along one long line, which is all of a contiguous output.
#include <atomic>

#include "loops/moves/add_by_range.h"
#include "loops/moves/scatter_plan.h"

namespace portacl::loops::moves {
namespace {

class LineElements : public PlacedElements {
 public:
  explicit LineElements(const ScatterRun& run) : PlacedElements(run.plan.dtype, run.plan.count_along), run_(run) {}

  const int64_t* Places(int64_t first, int64_t n, int64_t* buffer) const override {
    const bool is_wide = run_.plan.positions.names.indices.is_wide;
    if (!(is_wide ? Read<int64_t>(first, n, buffer) : Read<int32_t>(first, n, buffer)))
      good_.store(false, std::memory_order_relaxed);
    return buffer;
  }
  const std::byte* Elements(int64_t first, int64_t, std::byte*) const override {
    return run_.source + first * run_.plan.bytes;
  }
  bool good() const { return good_.load(std::memory_order_relaxed); }

 private:
  template <class I>
  bool Read(int64_t first, int64_t n, int64_t* places) const {
    const Indices& of = run_.plan.positions.names.indices;
    const auto* const index = reinterpret_cast<const I*>(run_.index) + first;
    const int64_t limit = of.limit, from_end = of.from_end;
    bool good = true;
    for (int64_t i = 0; i < n; ++i) {
      int64_t place = index[i];
      place += place < 0 ? from_end : 0;
      const bool names_it = static_cast<uint64_t>(place) < static_cast<uint64_t>(limit);
      places[i] = names_it ? place : -1;
      good &= names_it;
    }
    return good;
  }

  const ScatterRun& run_;
  mutable std::atomic<bool> good_{true};
};

}  // namespace

bool AddsAlongOneLine(const ScatterPlan& plan) {
  const Scattered& what = plan.what;
  const bool adds = what.combine == Combine::kAdd && what.factor.IsOne() && what.includes_self &&
                    what.source != kNothing && plan.combiner == plan.result_combiner &&
                    AddsByRange(plan.dtype, plan.positions.names.indices.limit);
  const bool is_wide = plan.positions.names.indices.is_wide;
  return adds && plan.tiles.nest.Elements() == 1 && plan.named_step == plan.bytes && plan.source_step == plan.bytes &&
         plan.index_step == static_cast<int64_t>(is_wide ? sizeof(int64_t) : sizeof(int32_t));
}

bool AddLine(const ScatterRun& run) {
  const LineElements elements(run);
  AddByRange(elements, run.out, run.plan.positions.names.indices.limit);
  return elements.good();
}

}  // namespace portacl::loops::moves
