// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are added to those that indices name.
#include <algorithm>
#include <cstring>

#include "loops/moves/advanced_index_run.h"
#include "loops/moves/combine_blocks.h"
#include "loops/moves/combine_elements.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// With more elements of self for each of the values, places are sorted.
constexpr int64_t kMostElementsOfSelf = 1024;
// Sums that have the cache to themselves.
constexpr int64_t kManySums = int64_t{1} << 18;

// The values, and where the table says that they go.
class PlacedValues final : public PlacedElements {
 public:
  explicit PlacedValues(const IndexRun& run) : run_(run), values_(run.plan.indexed, run.table.shape().span()) {}

  int64_t count() const override { return run_.table.count(); }

  PlacedPiece Read(int64_t first, int64_t n, Buffer& buffer) const override {
    const std::byte* elements = values_.Read(run_.other, first, n, buffer.elements);
    if (run_.table.Places(first, n, buffer.places)) return {n, buffer.places, elements};
    int64_t offsets[kPiece];
    alignas(kLineBytes) std::byte scratch[kPiece * sizeof(int64_t)];
    const bool good = run_.table.Offsets(first, n, scratch, offsets);
    if (good) {
      for (int64_t k = 0; k < n; ++k) buffer.places[k] = static_cast<uint32_t>(offsets[k]);
      return {n, buffer.places, elements};
    }
    run_.good.store(false, std::memory_order_relaxed);
    const auto bytes = static_cast<size_t>(run_.plan.bytes);
    int64_t read = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (offsets[k] == IndexTable::kNone) continue;
      buffer.places[read] = static_cast<uint32_t>(offsets[k]);
      std::memmove(buffer.elements + static_cast<size_t>(read++) * bytes, elements + static_cast<size_t>(k) * bytes,
                   bytes);
    }
    return {read, buffer.places, buffer.elements};
  }

 private:
  const IndexRun& run_;
  const Sequence values_;
};

void AddElements(const IndexRun& run) {
  const IndexPlan& plan = run.plan;
  const int64_t count = run.table.count(), elements = plan.contiguous_elements;
  const CombinedElements of{.combiner = plan.adder,
                            .lanes = plan.add_lanes,
                            .combine = Combine::kAdd,
                            .includes_self = true,
                            .factor = {},
                            .dtype = plan.dtype,
                            .bytes = plan.bytes,
                            .elements = elements,
                            .before = run.self,
                            .out = run.self};
  const PlacedValues values(run);
  const auto combine = !NamesMany(count, elements) ? CombineOneByOne
                       : elements > kManySums      ? CombineInSpans
                                                   : CombineInAll;
  combine(of, values);
}

}  // namespace

bool AddsElements(const IndexPlan& plan, const IndexTable& table) {
  return plan.adder != nullptr && plan.contiguous_elements > 0 && plan.contiguous_elements <= kMostPlaces &&
         plan.contiguous_elements / kMostElementsOfSelf <= table.count();
}

void AddBlocks(const IndexRun& run) {
  if (AddsElements(run.plan, run.table)) return AddElements(run);
  const PoolMemory memory(2 * run.items() * static_cast<int64_t>(sizeof(Move)));
  Move* const moves = memory.As<Move>();
  int64_t n = 0;
  run.ForEachItem(0, run.items(), nullptr, [&](const std::byte* self, const std::byte* values) {
    if (self != nullptr)
      moves[n++] = {static_cast<uint64_t>(self - run.self), static_cast<uint64_t>(values - run.other)};
  });
  const IndexPlan& plan = run.plan;
  CombineMoves({.combiner = plan.adder,
                .result_combiner = plan.adder,
                .lanes = plan.add_lanes,
                .factor = {},
                .includes_self = true,
                .tiles = &plan.block,
                .source = run.other,
                .out = run.self},
               moves, n);
}

}  // namespace portacl::loops::moves
