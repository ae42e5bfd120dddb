// SPDX-License-Identifier: Apache-2.0
// Elements of tensors by their indices, for oracles that move elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "calls/views.h"

namespace portacl::calls {

/// A stride of windows: small, or larger than the windows and the padding.
inline int64_t DrawStride(Random* random) {
  if (random == nullptr) return 1;
  return random->Chance(0.25) ? random->Between(4, 12) : random->Between(1, 3);
}

/// Calls f(index) for every element of the shape, in row-major order.
template <class F>
void ForEachIndex(const Dims& shape, const F& f) {
  Dims index(shape.size(), 0);
  for (int64_t i = 0, count = ElementCount(shape); i < count; ++i) {
    f(index);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

/// The row-major number of the element at an index.
inline size_t NumberOf(const Dims& shape, const Dims& index) {
  int64_t number = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) number = number * shape[axis] + index[axis];
  return static_cast<size_t>(number);
}

/// The index of the element with this row-major number.
inline Dims IndexOf(const Dims& shape, int64_t number) {
  Dims index(shape.size(), 0);
  for (size_t axis = shape.size(); axis-- > 0; number /= shape[axis]) index[axis] = number % shape[axis];
  return index;
}

inline size_t AxisOf(int64_t dim, size_t rank) {
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

/// The elements of a tensor, of which an oracle appends some to the expected elements of an output. Names are looked up
/// once.
class ElementsToMove {
 public:
  ElementsToMove(OracleCall& call, std::string_view from, std::string_view to)
      : shape_(call.Tensor(from).shape),
        from_(call.Bytes(from)),
        to_(call.ExactBytes(to)),
        bytes_(ElementBytes(call.Tensor(from).dtype)) {}

  void Append(const Dims& index) {
    const auto element = from_.begin() + static_cast<ptrdiff_t>(NumberOf(shape_, index) * bytes_);
    to_.insert(to_.end(), element, element + static_cast<ptrdiff_t>(bytes_));
  }

 private:
  const Dims& shape_;
  const std::vector<std::byte>& from_;
  std::vector<std::byte>& to_;
  size_t bytes_;
};

/// Appends an element of a tensor to the expected elements of an output.
inline void Append(OracleCall& call, std::string_view from, const Dims& index, std::string_view to = "out") {
  ElementsToMove(call, from, to).Append(index);
}

/// For each index of the output, the expected element is the one of the input at source(index).
template <class F>
void MoveElements(OracleCall& call, std::string_view from, std::string_view to, const F& source) {
  ElementsToMove elements(call, from, to);
  ForEachIndex(call.Tensor(to).shape, [&](const Dims& index) { elements.Append(source(index)); });
}

/// Sets each element of an index tensor to f(row-major number, what it was).
template <class F>
void ChangeIndices(Call& call, std::string_view name, const F& f) {
  const TensorSpec& index = call.tensor(name);
  if (index.data == nullptr) return;
  std::vector<std::byte> block = ReadBlock(index);
  int64_t number = 0;
  for (const size_t at : ElementOffsets(index)) {
    uint64_t bits = 0;
    std::memcpy(&bits, &block[at], ElementBytes(index.dtype));
    const int64_t changed = f(number++, bits);
    std::memcpy(&block[at], &changed, ElementBytes(index.dtype));
  }
  aclrtMemcpy(index.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

/// Replaces each element of a tensor by f(element), converted to its dtype.
template <class F>
void ChangeElements(Call& call, std::string_view name, const F& f) {
  const TensorSpec& tensor = call.tensor(name);
  if (tensor.data == nullptr) return;
  std::vector<std::byte> block = ReadBlock(tensor);
  for (const size_t at : ElementOffsets(tensor))
    StoreElement(tensor.dtype, f(LoadElement(tensor.dtype, &block[at])), &block[at]);
  aclrtMemcpy(tensor.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

/// Reduces the elements of an index tensor modulo `limit`, or sets all of them to `value`.
inline void WriteIndices(Call& call, std::string_view name, int64_t limit, int64_t value = -1) {
  if (limit == 0) return;
  ChangeIndices(call, name, [=](int64_t, uint64_t bits) {
    return value >= 0 ? value : static_cast<int64_t>(bits % static_cast<uint64_t>(limit));
  });
}

/// The same for indices that may count from the end: each number is one of -limit to limit - 1.
inline int64_t FromEitherEnd(uint64_t bits, int64_t limit) {
  return static_cast<int64_t>(bits / 2 % static_cast<uint64_t>(limit)) - (bits % 2 == 0 ? 0 : limit);
}
inline void WriteWrappingIndices(Call& call, std::string_view name, int64_t limit) {
  if (limit != 0) ChangeIndices(call, name, [=](int64_t, uint64_t bits) { return FromEitherEnd(bits, limit); });
}

}  // namespace portacl::calls
