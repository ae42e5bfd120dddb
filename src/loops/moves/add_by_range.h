// SPDX-License-Identifier: Apache-2.0
//
// Adds elements to those of a large contiguous array of FLOAT or 16 bits: the sums are in float64, in the order of the
// elements, and rounded once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::moves {

/// Elements of the dtype of the array, and the places where they are added.
class PlacedElements {
 public:
  /// The most that are read at once.
  static constexpr int64_t kPiece = 1 << 10;

  PlacedElements(aclDataType dtype_of, int64_t count_of) : dtype(dtype_of), count(count_of) {}
  virtual ~PlacedElements() = default;

  /// The places of n elements from number `first` on, written to `buffer` or where they are; negative ones are no place.
  /// Callable from any thread.
  virtual const int64_t* Places(int64_t first, int64_t n, int64_t* buffer) const = 0;
  /// Likewise the elements.
  virtual const std::byte* Elements(int64_t first, int64_t n, std::byte* buffer) const = 0;

  const aclDataType dtype;
  const int64_t count;
};

/// Whether AddByRange() is for arrays of this dtype and size: the sums of smaller ones fit in the cache.
bool AddsByRange(aclDataType dtype, int64_t size);

/// Adds them to the `size` elements at `array`. Throws std::bad_alloc.
void AddByRange(const PlacedElements& elements, std::byte* array, int64_t size);

}  // namespace portacl::loops::moves
