// SPDX-License-Identifier: Apache-2.0
// A view: where the elements of an operand are. Copied by value from an aclTensor, so that the client may destroy the
// tensor. Element (i0, i1, ...) is at data + (offset + sum(ik * strides[k])) * element size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "acl/acl_base_rt.h"
#include "aclnn/acl_meta.h"
#include "base/visibility.h"

namespace portacl {

/// The largest rank that an operator accepts; descriptions of tensors may have more dims.
inline constexpr int32_t kMaxRank = 8;

struct Shape {
  int32_t rank = 0;
  int64_t dims[kMaxRank] = {};

  std::span<const int64_t> span() const noexcept { return {dims, static_cast<size_t>(rank)}; }
};

struct View {
  void* data = nullptr;
  int64_t offset = 0;  // in elements
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_ND;
  int32_t rank = 0;
  int64_t shape[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};  // in elements

  std::span<const int64_t> dims() const noexcept { return {shape, static_cast<size_t>(rank)}; }

  /// The distance in elements between adjacent elements along `axis`; 0 if there is only one, since the stride may then
  /// have any value.
  int64_t step(int32_t axis) const noexcept {
    const bool empty = std::find(shape, shape + rank, 0) != shape + rank;
    return empty || shape[axis] == 1 ? 0 : strides[axis];
  }
};

/// The bytes [begin, end) relative to View::data that the elements of a view touch; begin == end for an empty view.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Copies the description. Returns false, and leaves `view` unchanged, when the tensor has more than kMaxRank dims.
bool ViewOf(const aclTensor& tensor, View* view) noexcept;

inline namespace v1 {

/// The number of elements of a shape: 1 for rank 0, 0 when a dim is 0. Returns false when a dim is negative or the
/// count exceeds int64.
PORTACL_EXPORT bool CountElements(std::span<const int64_t> dims, int64_t* count) noexcept;

/// Sets `result` to the broadcast shape of itself and `other` (at most kMaxRank dims). Returns -1; or the axis of
/// `result`'s new rank on which the two differ, with `result` unchanged.
PORTACL_EXPORT int32_t BroadcastWith(Shape* result, std::span<const int64_t> other) noexcept;

}  // namespace v1

/// The row-major strides of a shape. Never overflows: dims whose product exceeds int64 give meaningless, but defined,
/// strides.
void ContiguousStrides(std::span<const int64_t> dims, int64_t* strides) noexcept;

/// Returns true when the elements follow each other in row-major order; strides of axes with one element do not matter.
bool IsContiguous(const View& view) noexcept;

/// The bytes that the view touches, also for negative strides. For INT4, with two elements in a byte, it includes bytes
/// that are touched in part. Returns false when a dim is negative, when elements of another dtype are not whole bytes,
/// or when the result exceeds int64.
bool ByteExtent(const View& view, ByteRange* range) noexcept;

/// Returns true when two index tuples of the view may refer to the same bytes. Never misses an overlap, but may also
/// return true for views with interleaved axes.
bool MayOverlapItself(const View& view) noexcept;

}  // namespace portacl
