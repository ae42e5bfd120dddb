// SPDX-License-Identifier: Apache-2.0
//
// Where the elements that a list of indices names lie in the indexed tensor: one offset, in elements, for each element
// of the shape to which the indices are broadcast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exec/plan.h"
#include "loops/moves/index_entries.h"
#include "loops/moves/nonzero_bits.h"
#include "loops/moves/place_lanes.h"
#include "loops/moves/sequence.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {

/// An entry that indexes.
struct TableEntry {
  int operand;
  int element;  // in the list
  bool is_mask;
  bool is_wide;    // INT64
  int64_t limit;   // size of the axis
  int64_t stride;  // elements from one place of the axis to the next
  View index;      // the tensor of integers
  bool varies_in_rows;
  Tested mask;
  Sequence places;  // the elements of the axes for which the mask stands
};

struct TablePlan {
  TablePlan(const exec::PlanBuilder& plan, const View& self, int indices, const IndexEntries& entries);

  size_t UnusedBytes() const { return static_cast<size_t>(kMaxRank - count) * sizeof(TableEntry); }

  const char* api;
  Shape shape;  // see IndexEntries::shape
  bool has_mask;
  PlacesFunction narrow;  // null: the indices are not as IndexTable::Places needs them
  bool has_long_rows;  // of integers, some of which are broadcast; those that vary within a row are next to each other
  bool has_like_rows;  // long ones; those that vary within a row are the same in all rows
  int count;
  TableEntry entries[kMaxRank];  // last member, so that a plan is copied without absent entries
};

class IndexTable {
 public:
  static constexpr int64_t kNone = -1;  // the offset where an index is out of range

  /// Counts the masks. Throws std::bad_alloc.
  IndexTable(const TablePlan& plan, const exec::RunContext& context);

  /// 0, or the code with which the run fails, after a report: masks with different numbers of elements, or another
  /// number than `size`, unless that is kAnySize; 1 fits any if `broadcasts`.
  static constexpr int64_t kAnySize = -1;
  int32_t CheckSize(int64_t size, bool broadcasts) const;

  /// Finds the places of masks; the first step of what follows.
  void FindPlaces();
  /// Stores the offsets of n places from number `begin` on, at most kPiece; `scratch` has room for n numbers. Returns
  /// false if an index is out of range.
  static constexpr int64_t kPiece = 2 << 10;  // fits on the stack
  bool Offsets(int64_t begin, int64_t n, std::byte* scratch, int64_t* offsets) const;
  /// The same in 32 bits, if the table has one list of integers next to each other that name elements next to each other.
  /// Returns false, with any results, if it has not, or if an index is negative or out of range.
  bool Places(int64_t begin, int64_t n, uint32_t* places) const;
  /// The offsets of a row of the last axis in two parts, where plan.has_like_rows and a row has at most kPiece places:
  /// those of the indices that vary within it, and the sum of the others for the row of place `begin`; or kNone.
  bool OffsetsOfColumns(int64_t* offsets) const { return OffsetsInRow(0, columns(), offsets); }
  int64_t OffsetOfRow(int64_t begin) const;
  int64_t columns() const { return shape_.dims[shape_.rank - 1]; }
  /// Stores the offsets of all places, in several threads.
  bool Offsets(int64_t* offsets) const;
  /// Reports the first index that is out of range, and returns the code with which the run fails.
  int32_t RefuseIndex() const;

  const Shape& shape() const { return shape_; }
  int64_t count() const { return count_; }

 private:
  bool OffsetsInRow(int64_t begin, int64_t n, int64_t* offsets) const;
  bool AddEntry(int number, int64_t begin, int64_t n, std::byte* scratch, int64_t* offsets) const;
  void PlacesOfMask(int number);

  const TablePlan& plan_;
  const exec::RunContext& context_;
  Shape shape_;
  int64_t count_ = 1;
  bool masks_fit_ = true;
  std::optional<NonzeroBits> bits_[kMaxRank];
  std::optional<PoolMemory> mask_places_[kMaxRank];
};

}  // namespace portacl::loops::moves
