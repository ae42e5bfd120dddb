// SPDX-License-Identifier: Apache-2.0
//
// How a list of tensors indexes another tensor, by the rules of PyTorch: its entries stand for the axes from the first
// one on. An entry without elements is `:`; integers name places along one axis; a mask stands for as many lists of
// integers as it has axes, the coordinates of its elements that are not zero. All lists of integers are broadcast to
// one shape. It replaces the indexed axes where they are adjacent, and comes first where they are not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "tensor/view.h"

namespace portacl::loops::moves {

struct IndexEntry {
  int element = 0;  // in the list
  int axis = 0;     // the first axis that it stands for
  int axes = 0;
  bool is_mask = false;
};

/// Why a list cannot index a tensor.
struct IndexProblem {
  int element = 0;
  const char* expected = nullptr;
};

class IndexEntries {
 public:
  /// Reads the list; `view(i)` is its tensor number i. Returns false and fills `problem` if it does not fit `self`.
  template <class ViewAt>
  bool Read(const View& self, int count, const ViewAt& view, IndexProblem* problem) {
    int axis = 0;
    for (int i = 0; i < count; ++i) {
      const View& entry = view(i);
      const bool is_all = IsEmpty(entry);
      const bool is_mask = !is_all && entry.dtype == ACL_BOOL;
      const int axes = is_mask ? entry.rank : 1;
      problem->element = i;
      problem->expected = "no more axes than the indexed tensor has";
      if (axis + axes > self.rank) return false;
      problem->expected = "a mask of the shape of the axes that it stands for";
      if (is_mask && (axes == 0 || !std::equal(entry.shape, entry.shape + axes, self.shape + axis))) return false;
      problem->expected = "a shape that broadcasts with those of the other indices";
      if (!is_all && !is_mask && BroadcastWith(&shape_, entry.dims()) >= 0) return false;
      if (!is_all) Add({i, axis, axes, is_mask});
      axis += axes;
    }
    if (has_mask_ && shape_.rank == 0) shape_ = {1, {1}};
    problem->expected = "a result of at most 8 axes";
    return count_ == 0 || self.rank - indexed_ + shape_.rank <= kMaxRank;
  }

  std::span<const IndexEntry> items() const { return {items_, static_cast<size_t>(count_)}; }
  bool has_mask() const { return has_mask_; }
  /// The shape that the integers are broadcast to. With a mask its last size is 1 where only the run knows it.
  const Shape& shape() const { return shape_; }
  /// The axis of the result whose size the run finds; -1 if there is none.
  int UnknownAxis() const {
    if (!has_mask_ || shape_.dims[shape_.rank - 1] != 1) return -1;
    return first_axis() + shape_.rank - 1;
  }
  /// The axis of the result where the indexed axes are.
  int first_axis() const { return is_adjacent_ && count_ > 0 ? items_[0].axis : 0; }
  bool Indexes(int axis) const {
    return std::ranges::any_of(
        items(), [=](const IndexEntry& item) { return axis >= item.axis && axis < item.axis + item.axes; });
  }

  /// The shape of the result, with 1 for a size that only the run knows.
  Shape Result(const View& self) const {
    Shape result;
    const auto add = [&](int64_t size) { result.dims[result.rank++] = size; };
    int axis = 0;
    for (; axis < first_axis(); ++axis) add(self.shape[axis]);
    for (const int64_t size : shape_.span()) add(size);
    for (; axis < self.rank; ++axis) {
      if (!Indexes(axis)) add(self.shape[axis]);
    }
    return result;
  }

 private:
  static bool IsEmpty(const View& view) { return std::ranges::find(view.dims(), 0) != view.dims().end(); }

  void Add(const IndexEntry& item) {
    if (count_ > 0) is_adjacent_ &= items_[count_ - 1].axis + items_[count_ - 1].axes == item.axis;
    has_mask_ |= item.is_mask;
    indexed_ += item.axes;
    items_[count_++] = item;
  }

  int count_ = 0;
  int indexed_ = 0;  // axes
  bool has_mask_ = false;
  bool is_adjacent_ = true;
  IndexEntry items_[kMaxRank] = {};
  Shape shape_;
};

/// Whether `view` is broadcast to `shape`, but for the size of the axis `unknown`. A single element always is.
inline bool BroadcastsTo(const View& view, const Shape& shape, int unknown) {
  if (std::ranges::all_of(view.dims(), [](int64_t size) { return size == 1; })) return true;
  if (view.rank > shape.rank) return false;
  for (int axis = 0; axis < view.rank; ++axis) {
    const int to = axis + shape.rank - view.rank;
    if (view.shape[axis] != 1 && view.shape[axis] != shape.dims[to] && to != unknown) return false;
  }
  return true;
}

}  // namespace portacl::loops::moves
