// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 leaves for a run that indexes, and the run. The result has axes before the indexed ones, axes of the
// indices, and axes behind. A block is what lies along the last: there is one for each item, that is each place along
// the others, and the table says where in `self` it begins.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loops/moves/combine.h"
#include "loops/moves/combine_lanes.h"
#include "loops/moves/index_table.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {

struct IndexPlan {
  int self;
  int other;  // out or values
  bool puts;
  bool is_serial;
  const Combiner* adder;  // null: elements are replaced
  RowLanes add_lanes;
  int64_t contiguous_elements;  // of self, if it is contiguous and all of its axes are indexed; else 0
  aclDataType dtype;
  int64_t bytes;       // per element
  int64_t other_size;  // of `other` along the axis whose size the run finds; IndexTable::kAnySize: there is none
  Sequence before[2];  // the axes before the indexed ones, of self and of the other
  View indexed;        // of the other, along the axes of the indices
  TilePlan block;      // operand 1 is read, 2 is written
  TablePlan table;
};

struct IndexRun {
  const IndexPlan& plan;
  const IndexTable& table;
  const int64_t* offsets;  // all of them; null: they are computed for each item
  std::byte* self;
  std::byte* other;
  std::atomic<bool>& good;

  static constexpr int64_t kScratchBytes = 2 * IndexTable::kPiece * static_cast<int64_t>(sizeof(int64_t));

  int64_t items() const { return plan.before[0].count() * table.count(); }

  // Calls f(in self, in the other, number of the first place, offsets, n) for pieces of the items [first, end) that
  // have the first two in common, where the blocks of element 0 are.
  template <class F>
  void ForEachPiece(int64_t first, int64_t end, std::byte* scratch, const F& f) const {
    while (first < end) {
      const int64_t outer = first / table.count();
      const int64_t begin = first % table.count();
      const int64_t n = std::min({table.count() - begin, end - first, IndexTable::kPiece});
      f(self + plan.before[0].PlaceOf(outer), other + plan.before[1].PlaceOf(outer), begin,
        OffsetsOf(begin, n, scratch), n);
      first += n;
    }
  }

  // Calls f(block in self, block in the other) for the items; the first is null where an index is out of range.
  template <class F>
  void ForEachItem(int64_t first, int64_t end, std::byte* scratch, const F& f) const {
    const Sequence places(plan.indexed, table.shape().span());
    const int64_t bytes = plan.bytes;
    ForEachPiece(first, end, scratch,
                 [&](std::byte* in_self, std::byte* in_other, int64_t begin, const int64_t* from, int64_t n) {
                   Sequence::Walk walk(places);
                   for (int64_t i = 0; i < n; ++i) {
                     f(from[i] == IndexTable::kNone ? nullptr : in_self + from[i] * bytes,
                       in_other + walk.PlaceOf(begin + i));
                   }
                 });
  }

 private:
  const int64_t* OffsetsOf(int64_t begin, int64_t n, std::byte* scratch) const {
    if (offsets != nullptr) return offsets + begin;
    auto* const computed = reinterpret_cast<int64_t*>(scratch);
    if (!table.Offsets(begin, n, scratch + kScratchBytes / 2, computed)) good.store(false, std::memory_order_relaxed);
    return computed;
  }
};

/// Whether single elements are added as combine_elements.h does. Offsets are then not kept.
bool AddsElements(const IndexPlan& plan, const IndexTable& table);

/// Adds the blocks, those of one place in the order of the items. The offsets are kept unless AddsElements().
void AddBlocks(const IndexRun& run);

}  // namespace portacl::loops::moves
