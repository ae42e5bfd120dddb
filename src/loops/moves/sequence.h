// SPDX-License-Identifier: Apache-2.0
//
// The elements of an operand one after the other, in row-major order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "loops/moves/indices.h"
#include "loops/tiles/copy_block.h"
#include "tensor/view.h"

namespace portacl::loops::moves {

class Sequence {
 public:
  Sequence() = default;
  /// The view is broadcast to `shape`. Addresses are those of the operand's element 0.
  Sequence(const View& view, std::span<const int64_t> shape) : bytes_(static_cast<int64_t>(ElementBytes(view.dtype))) {
    for (const int64_t size : shape) count_ = Product(count_, size);
    if (count_ == 0) return;  // strides may have any value
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const int own = static_cast<int>(axis) - static_cast<int>(shape.size()) + view.rank;
      places_.Add(shape[axis], own < 0 ? 0 : StepBytes(view, own));
    }
  }

  int64_t count() const { return count_; }
  int64_t bytes() const { return bytes_; }
  bool IsContiguous() const { return places_.rank == 0 || (places_.rank == 1 && places_.strides[0] == bytes_); }
  /// The byte offset of an element.
  int64_t PlaceOf(int64_t number) const { return places_.Of(number); }

  /// n elements from number `begin` on: in place where they are contiguous, else copied to `buffer`.
  const std::byte* Read(const std::byte* base, int64_t begin, int64_t n, std::byte* buffer) const {
    if (IsContiguous()) return base + begin * bytes_;
    const int inner = places_.rank - 1;
    const int64_t columns = places_.shape[inner];
    for (int64_t at = 0; at < n;) {
      const int64_t column = (begin + at) % columns;
      const int64_t row = (begin + at) / columns;
      const int64_t left = inner == 0 ? 1 : places_.shape[inner - 1] - row % places_.shape[inner - 1];
      const bool is_part = column != 0 || n - at < columns;
      const int64_t wide = is_part ? std::min(columns - column, n - at) : columns;
      const int64_t rows = is_part ? 1 : std::min(left, (n - at) / columns);
      CopyBlock(bytes_, rows, wide,
                {const_cast<std::byte*>(base) + PlaceOf(begin + at), inner == 0 ? 0 : places_.strides[inner - 1],
                 places_.strides[inner]},
                {buffer + at * bytes_, columns * bytes_, bytes_});
      at += rows * wide;
    }
    return buffer;
  }

  /// Byte offsets of elements whose numbers grow.
  class Walk {
   public:
    explicit Walk(const Sequence& sequence) : places_(sequence.places_) {}
    int64_t PlaceOf(int64_t number) {
      if (places_.rank == 0) return 0;
      const int inner = places_.rank - 1;
      if (number >= end_) {
        begin_ = number / places_.shape[inner] * places_.shape[inner];
        end_ = begin_ + places_.shape[inner];
        place_ = places_.Of(begin_);
      }
      return place_ + (number - begin_) * places_.strides[inner];
    }

   private:
    const Places& places_;
    int64_t begin_ = 0;  // of the row
    int64_t end_ = 0;
    int64_t place_ = 0;
  };

 private:
  int64_t bytes_ = 1;
  int64_t count_ = 1;
  Places places_;
};

}  // namespace portacl::loops::moves
