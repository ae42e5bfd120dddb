// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/loop_nest.h"

#include <algorithm>
#include <utility>

#include "base/dtype.h"

namespace portacl::loops {
namespace {

// Whether axis `a` should be a loop inside axis `b`.
bool BelongsInside(const LoopNest& nest, int a, int b) {
  for (int operand = nest.operands - 1; operand >= 0; --operand) {
    const int64_t stride_a = nest.strides[operand][a];
    const int64_t stride_b = nest.strides[operand][b];
    // A broadcast axis says nothing about where the elements lie.
    if (stride_a == 0 || stride_b == 0) continue;
    if (stride_a != stride_b) return stride_a < stride_b;
  }
  return false;
}

void SwapAxes(LoopNest& nest, int a, int b) {
  std::swap(nest.shape[a], nest.shape[b]);
  for (int operand = 0; operand < nest.operands; ++operand)
    std::swap(nest.strides[operand][a], nest.strides[operand][b]);
}

// Sorts the axes from `first` on. Insertion sort, because axes are few and mostly sorted, and because BelongsInside is
// no strict weak order when strides are zero.
void OrderAxes(LoopNest& nest, int first) {
  for (int axis = first + 1; axis < nest.rank; ++axis) {
    for (int i = axis; i > first && BelongsInside(nest, i, i - 1); --i) SwapAxes(nest, i, i - 1);
  }
}

bool RunsOn(const LoopNest& nest, int inner, int outer) {
  for (int operand = 0; operand < nest.operands; ++operand) {
    const int64_t* strides = nest.strides[operand];
    int64_t end = 0;  // one step beyond the last element; only the last element is known to be addressable
    if (__builtin_mul_overflow(strides[inner], nest.shape[inner], &end) || strides[outer] != end) return false;
  }
  return true;
}

// Merges the axes from `first` on, where strides allow it.
void MergeAxes(LoopNest& nest, int first) {
  int kept = first;
  for (int axis = first + 1; axis < nest.rank; ++axis) {
    if (RunsOn(nest, kept, axis)) {
      nest.shape[kept] *= nest.shape[axis];
    } else {
      ++kept;
      nest.shape[kept] = nest.shape[axis];
      for (int operand = 0; operand < nest.operands; ++operand)
        nest.strides[operand][kept] = nest.strides[operand][axis];
    }
  }
  nest.rank = kept + 1;
}

// A tile spans the two innermost axes. If the densest axis of an operand is neither of them, it becomes the second one,
// so that the operand's cache lines are used completely.
void PutDensestSecond(LoopNest& nest) {
  for (int operand = 0; operand < nest.operands; ++operand) {
    const int64_t* strides = nest.strides[operand];
    int densest = 0;
    for (int axis = 1; axis < nest.rank; ++axis) {
      if (strides[axis] != 0 && strides[axis] < strides[densest]) densest = axis;
    }
    if (densest == 0) continue;
    if (densest > 1) SwapAxes(nest, 1, densest);
    return;
  }
}

// A nest of one element, to which AddAxes() adds.
LoopNest StartNest(std::span<const View* const> operands) {
  LoopNest nest;
  nest.operands = static_cast<int>(operands.size());
  nest.rank = 1;
  nest.shape[0] = 1;
  for (int i = 0; i < nest.operands; ++i) {
    nest.element_bytes[i] = static_cast<int64_t>(ElementBytes(operands[static_cast<size_t>(i)]->dtype));
    nest.strides[i][0] = nest.element_bytes[i];
  }
  return nest;
}

// If the shape is empty, makes it one axis of size 0, as its other sizes may be too large to multiply. Returns whether
// it is.
bool SetEmpty(std::span<const int64_t> shape, LoopNest* nest) {
  if (std::find(shape.begin(), shape.end(), 0) == shape.end()) return false;
  nest->shape[0] = 0;
  for (int i = 0; i < nest->operands; ++i) nest->strides[i][0] = 0;
  return true;
}

// Adds the axes [begin, end) of `shape`, innermost first, as axes `at`, at + 1, ... Axes of size 1 are left out.
void AddAxes(LoopNest& nest, std::span<const int64_t> shape, std::span<const View* const> operands, int begin, int end,
             int at) {
  const int rank = static_cast<int>(shape.size());
  for (int axis = end - 1; axis >= begin; --axis) {
    const int64_t size = shape[static_cast<size_t>(axis)];
    if (size == 1) continue;
    for (int i = 0; i < nest.operands; ++i) {
      const View& view = *operands[static_cast<size_t>(i)];
      const int own_axis = axis - rank + view.rank;
      nest.strides[i][at] = own_axis < 0 ? 0 : view.step(own_axis) * nest.element_bytes[i];
    }
    nest.shape[at++] = size;
  }
  nest.rank = std::max(nest.rank, at);
}

void RemoveAxis(View* view, int axis) {
  --view->rank;
  for (int a = axis; a < view->rank; ++a) {
    view->shape[a] = view->shape[a + 1];
    view->strides[a] = view->strides[a + 1];
  }
}

}  // namespace

int64_t LoopNest::Elements() const {
  int64_t elements = 1;
  for (int axis = 0; axis < rank; ++axis) elements *= shape[axis];
  return elements;
}

LoopNest MakeLoopNest(std::span<const int64_t> shape, std::span<const View* const> operands) {
  LoopNest nest = StartNest(operands);
  if (SetEmpty(shape, &nest)) return nest;
  AddAxes(nest, shape, operands, 0, static_cast<int>(shape.size()), 0);
  OrderAxes(nest, 0);
  MergeAxes(nest, 0);
  PutDensestSecond(nest);
  return nest;
}

LoopNest MakeRowNest(std::span<const int64_t> shape, std::span<const View* const> operands) {
  LoopNest nest = StartNest(operands);
  if (shape.empty() || SetEmpty(shape, &nest)) return nest;
  const int last = static_cast<int>(shape.size()) - 1;
  AddAxes(nest, shape, operands, last, last + 1, 0);  // unless it is the single element of StartNest()
  AddAxes(nest, shape, operands, 0, last, 1);
  if (nest.rank == 1) return nest;
  OrderAxes(nest, 1);
  MergeAxes(nest, 1);
  PutDensestSecond(nest);
  return nest;
}

LoopNest MakeColumnNest(std::span<const int64_t> shape, std::span<const View* const> operands, int axis) {
  const int rank = static_cast<int>(shape.size());
  View others[kMaxTileOperands];
  const View* pointers[kMaxTileOperands];
  int64_t strides[kMaxTileOperands];
  for (size_t i = 0; i < operands.size(); ++i) {
    others[i] = *operands[i];
    pointers[i] = &others[i];
    const int own_axis = axis - rank + others[i].rank;
    strides[i] = own_axis < 0 ? 0 : others[i].step(own_axis) * static_cast<int64_t>(ElementBytes(others[i].dtype));
    if (own_axis >= 0) RemoveAxis(&others[i], own_axis);
  }
  int64_t other_shape[kMaxRank];
  std::copy(shape.begin(), shape.begin() + axis, other_shape);
  std::copy(shape.begin() + axis + 1, shape.end(), other_shape + axis);
  LoopNest nest = MakeLoopNest({other_shape, shape.size() - 1}, {pointers, operands.size()});
  for (int a = nest.rank++; a > 1; --a) {
    nest.shape[a] = nest.shape[a - 1];
    for (int i = 0; i < nest.operands; ++i) nest.strides[i][a] = nest.strides[i][a - 1];
  }
  nest.shape[1] = shape[static_cast<size_t>(axis)];
  for (int i = 0; i < nest.operands; ++i) nest.strides[i][1] = strides[i];
  return nest;
}

}  // namespace portacl::loops
