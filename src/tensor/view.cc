// SPDX-License-Identifier: Apache-2.0
#include "tensor/view.h"

#include <algorithm>

#include "base/dtype.h"
#include "tensor/tensor.h"

namespace portacl {

bool ViewOf(const aclTensor& tensor, View* view) noexcept {
  if (tensor.rank > static_cast<uint32_t>(kMaxRank)) return false;
  view->data = tensor.data;
  view->offset = tensor.offset;
  view->dtype = tensor.dtype;
  view->format = tensor.format;
  view->rank = static_cast<int32_t>(tensor.rank);
  std::copy_n(tensor.shape, tensor.rank, view->shape);
  std::copy_n(tensor.strides, tensor.rank, view->strides);
  return true;
}

inline namespace v1 {

bool CountElements(std::span<const int64_t> dims, int64_t* count) noexcept {
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return false;
    empty = empty || dim == 0;
  }
  // With one dim of 0, the others cannot overflow, however large they are.
  int64_t product = empty ? 0 : 1;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(product, dim, &product)) return false;
  }
  *count = product;
  return true;
}

}  // namespace v1

void ContiguousStrides(std::span<const int64_t> dims, int64_t* strides) noexcept {
  uint64_t stride = 1;  // unsigned: wraps
  for (size_t axis = dims.size(); axis-- > 0;) {
    strides[axis] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dims[axis]);
  }
}

bool IsContiguous(const View& view) noexcept {
  uint64_t stride = 1;
  bool contiguous = true;
  for (int32_t axis = view.rank; axis-- > 0;) {
    if (view.shape[axis] == 0) return true;
    if (view.shape[axis] != 1 && static_cast<uint64_t>(view.strides[axis]) != stride) contiguous = false;
    stride *= static_cast<uint64_t>(view.shape[axis]);
  }
  return contiguous;
}

bool ByteExtent(const View& view, ByteRange* range) noexcept {
  const bool is_int4 = view.dtype == ACL_INT4;  // two elements share a byte
  const size_t element = is_int4 ? 1 : ElementBytes(view.dtype);
  int64_t count = 0;
  if (element == 0 || !CountElements(view.dims(), &count)) return false;
  if (count == 0) {
    *range = {};
    return true;
  }
  int64_t first = view.offset;
  int64_t last = view.offset;
  for (int32_t axis = 0; axis < view.rank; ++axis) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(view.shape[axis] - 1, view.strides[axis], &reach)) return false;
    int64_t& end = reach < 0 ? first : last;
    if (__builtin_add_overflow(end, reach, &end)) return false;
  }
  if (is_int4) first >>= 1, last >>= 1;
  const int64_t bytes = static_cast<int64_t>(element);
  ByteRange result;
  if (__builtin_mul_overflow(first, bytes, &result.begin)) return false;
  if (__builtin_mul_overflow(last, bytes, &result.end) || __builtin_add_overflow(result.end, bytes, &result.end))
    return false;
  *range = result;
  return true;
}

bool MayOverlapItself(const View& view) noexcept {
  // From the smallest stride up, each stride must be at least the range that the smaller ones reach.
  uint64_t reach = 1;
  bool seen[kMaxRank] = {};
  for (int32_t step = 0; step < view.rank; ++step) {
    int32_t next = -1;
    for (int32_t axis = view.rank - 1; axis >= 0; --axis) {
      if (!seen[axis] && (next < 0 || view.strides[axis] < view.strides[next])) next = axis;
    }
    seen[next] = true;
    if (view.shape[next] <= 1) continue;
    const auto stride = static_cast<uint64_t>(view.strides[next]);
    if (stride < reach) return true;
    reach += stride * static_cast<uint64_t>(view.shape[next] - 1);
  }
  return false;
}

inline namespace v1 {

int32_t BroadcastWith(Shape* result, std::span<const int64_t> other) noexcept {
  Shape shape;
  const int32_t other_rank = static_cast<int32_t>(other.size());
  shape.rank = std::max(result->rank, other_rank);
  for (int32_t axis = 0; axis < shape.rank; ++axis) {
    const int32_t mine = axis - (shape.rank - result->rank);
    const int32_t theirs = axis - (shape.rank - other_rank);
    const int64_t a = mine < 0 ? 1 : result->dims[mine];
    const int64_t b = theirs < 0 ? 1 : other[static_cast<size_t>(theirs)];
    if (a != b && a != 1 && b != 1) return axis;
    shape.dims[axis] = a == 1 ? b : a;
  }
  *result = shape;
  return -1;
}

}  // namespace v1

}  // namespace portacl
