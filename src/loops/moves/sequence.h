// SPDX-License-Identifier: Apache-2.0
//
// The elements of an operand one after the other, in row-major order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "loops/tiles/copy_block.h"
#include "tensor/view.h"

namespace portacl::loops::moves {

class Sequence {
 public:
  Sequence() = default;
  /// The view is broadcast to `shape`. Addresses are those of the operand's element 0.
  Sequence(const View& view, std::span<const int64_t> shape) : bytes_(static_cast<int64_t>(ElementBytes(view.dtype))) {
    for (const int64_t size : shape) count_ *= size;
    if (count_ == 0) return;  // strides may have any value
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const int own = static_cast<int>(axis) - static_cast<int>(shape.size()) + view.rank;
      if (shape[axis] != 1) Add(shape[axis], own < 0 || view.shape[own] == 1 ? 0 : view.strides[own] * bytes_);
    }
  }

  int64_t count() const { return count_; }
  int64_t bytes() const { return bytes_; }
  bool IsContiguous() const { return rank_ == 0 || (rank_ == 1 && strides_[0] == bytes_); }

  /// n elements from number `begin` on: in place where they are contiguous, else copied to `buffer`.
  const std::byte* Read(const std::byte* base, int64_t begin, int64_t n, std::byte* buffer) const {
    if (IsContiguous()) return base + begin * bytes_;
    const int inner = rank_ - 1;
    const int64_t columns = shape_[inner];
    for (int64_t at = 0; at < n;) {
      const int64_t column = (begin + at) % columns;
      const int64_t row = (begin + at) / columns;
      const int64_t left = inner == 0 ? 1 : shape_[inner - 1] - row % shape_[inner - 1];
      const bool is_part = column != 0 || n - at < columns;
      const int64_t wide = is_part ? std::min(columns - column, n - at) : columns;
      const int64_t rows = is_part ? 1 : std::min(left, (n - at) / columns);
      CopyBlock(
          bytes_, rows, wide,
          {const_cast<std::byte*>(base) + PlaceOf(begin + at), inner == 0 ? 0 : strides_[inner - 1], strides_[inner]},
          {buffer + at * bytes_, columns * bytes_, bytes_});
      at += rows * wide;
    }
    return buffer;
  }

  /// The byte offset of an element.
  int64_t PlaceOf(int64_t number) const {
    int64_t place = 0;
    for (int axis = rank_; axis-- > 0; number /= shape_[axis]) place += number % shape_[axis] * strides_[axis];
    return place;
  }

  /// Byte offsets of elements whose numbers grow.
  class Walk {
   public:
    explicit Walk(const Sequence& sequence) : sequence_(sequence) {}
    int64_t PlaceOf(int64_t number) {
      if (sequence_.rank_ == 0) return 0;
      const int inner = sequence_.rank_ - 1;
      if (number >= end_) {
        const int64_t columns = sequence_.shape_[inner];
        begin_ = number / columns * columns;
        end_ = begin_ + columns;
        place_ = sequence_.PlaceOf(begin_);
      }
      return place_ + (number - begin_) * sequence_.strides_[inner];
    }

   private:
    const Sequence& sequence_;
    int64_t begin_ = 0;  // of the row
    int64_t end_ = 0;
    int64_t place_ = 0;
  };

 private:
  void Add(int64_t size, int64_t stride) {
    if (rank_ > 0 && strides_[rank_ - 1] == size * stride) {
      shape_[rank_ - 1] *= size;
      strides_[rank_ - 1] = stride;
      return;
    }
    shape_[rank_] = size;
    strides_[rank_++] = stride;
  }

  int64_t bytes_ = 1;
  int64_t count_ = 1;
  int rank_ = 0;
  int64_t shape_[kMaxRank] = {};
  int64_t strides_[kMaxRank] = {};
};

}  // namespace portacl::loops::moves
