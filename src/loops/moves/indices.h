// SPDX-License-Identifier: Apache-2.0
//
// Tensors of indices, as a run reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "exec/plan.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/tiling.h"
#include "tensor/view.h"

namespace portacl::loops::moves {

/// Reads an INT32 or INT64 element.
inline int64_t ReadIndex(const std::byte* element, bool is_wide) {
  if (is_wide) {
    int64_t value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  int32_t value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

/// A product of sizes modulo 2^64: where a tensor has a size of 0, its others may be too large to multiply. Or where the
/// next element along an axis would be: there may be no address one step beyond the last.
inline int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Bytes from one element to the next along an axis.
inline int64_t StepBytes(const View& view, int axis) {
  return view.step(axis) * static_cast<int64_t>(ElementBytes(view.dtype));
}
/// Calls f(first, end) for parts of `count` numbers, in several threads.
template <class F>
void ForEachPart(int64_t count, const F& f) {
  constexpr int64_t kPart = 8 << 10;
  RunChunks({.count = CeilDivide(count, kPart)},
            [&](int64_t first, int64_t end, std::byte*) { f(first * kPart, std::min(end * kPart, count)); });
}

/// The byte offsets of a tensor's elements, by their row-major position. Axes are joined where strides allow it.
struct Places {
  Places() = default;
  Places(const View& view, int first_axis, int end_axis) {
    const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
    for (int axis = first_axis; axis < end_axis; ++axis) Add(view.shape[axis], view.step(axis) * bytes);
  }
  /// Adds an innermost axis.
  void Add(int64_t size, int64_t stride) {
    if (size == 1) return;
    if (rank > 0 && strides[rank - 1] == Product(size, stride)) {
      shape[rank - 1] = Product(shape[rank - 1], size);
      strides[rank - 1] = stride;
      return;
    }
    shape[rank] = size;
    strides[rank++] = stride;
  }
  int64_t Count() const {
    int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis) count = Product(count, shape[axis]);
    return count;
  }
  int64_t Of(int64_t number) const {
    int64_t place = 0;
    for (int axis = rank; axis-- > 1; number /= shape[axis]) place += number % shape[axis] * strides[axis];
    return rank == 0 ? 0 : place + number * strides[0];
  }

  int rank = 0;
  int64_t shape[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
};

/// Walks places in row-major order.
class PlaceWalk {
 public:
  explicit PlaceWalk(const Places& places) : places_(places) {}
  PlaceWalk(const Places& places, int64_t number) : places_(places), place_(places.Of(number)) {
    for (int axis = places.rank; axis-- > 0; number /= places.shape[axis]) at_[axis] = number % places.shape[axis];
  }
  int64_t place() const { return place_; }
  void Next() {
    for (int axis = places_.rank; axis-- > 0;) {
      place_ += places_.strides[axis];
      if (++at_[axis] < places_.shape[axis]) return;
      place_ -= places_.shape[axis] * places_.strides[axis];
      at_[axis] = 0;
    }
  }

 private:
  const Places& places_;
  int64_t place_ = 0;
  int64_t at_[kMaxRank] = {};
};

/// An operand that holds indices.
struct Indices {
  Indices(const exec::PlanBuilder& plan, int index, int64_t end);

  /// Negative indices count from the end.
  void Wrap() { from_end = limit; }

  bool Holds(int64_t value) const { return static_cast<uint64_t>(value) < static_cast<uint64_t>(limit); }
  /// The index of what `value` names; Holds() tells whether there is such.
  int64_t Named(int64_t value) const { return value < 0 ? value + from_end : value; }

  /// Reports the first index that is out of range, where `first` is their address, and returns the code with which the run fails.
  int32_t Refuse(const std::byte* first) const;

  const char* api;
  const char* name;
  int64_t limit;         // indices are less than this
  int64_t from_end = 0;  // added to negative ones
  int operand;
  bool is_wide;
  Places places;
};

/// Reports a number of repetitions that is negative, or larger than what is left of `size`; or their sum, which is another.
/// `what`: what has this size.
int32_t RefuseRepeat(const Indices& counts, int64_t number, int64_t position, int64_t size,
                     const char* what = "outputSize");
int32_t RefuseSum(const Indices& counts, int64_t sum, int64_t size, const char* what = "outputSize");

/// Indices of several components, each of which names an element along an axis; or of one, the row-major number of an
/// element in these axes.
struct Names {
  Names(const exec::PlanBuilder& plan, int index) : indices(plan, index, 1) {}

  /// Adds an innermost axis.
  void Add(int64_t size, int64_t stride) {
    sizes[axes] = size;
    strides[axes++] = stride;
    if (is_flat) {
      indices.limit = Product(indices.limit, size);
      flat.Add(size, stride);
    }
  }

  /// Negative components count from the end of their axes.
  void Wrap() {
    wraps = true;
    indices.Wrap();
  }

  /// The byte offset of what the index at this address names; -1 if there is nothing of that name.
  int64_t PlaceOf(const std::byte* index) const {
    if (is_flat) {
      const int64_t i = indices.Named(ReadIndex(index, indices.is_wide));
      return indices.Holds(i) ? flat.Of(i) : -1;
    }
    int64_t place = 0;
    for (int axis = 0; axis < axes; ++axis) {
      int64_t i = ReadIndex(index + axis * component_bytes, indices.is_wide);
      if (i < 0 && wraps) i += sizes[axis];
      if (i < 0 || i >= sizes[axis]) return -1;
      place += i * strides[axis];
    }
    return place;
  }

  /// As Indices::Refuse.
  int32_t Refuse(const std::byte* first) const;

  Indices indices;
  Places flat;
  bool wraps = false;
  bool is_flat = true;          // indices have one component
  int64_t component_bytes = 0;  // from one component of an index to the next
  int axes = 0;
  int64_t sizes[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
};

}  // namespace portacl::loops::moves
