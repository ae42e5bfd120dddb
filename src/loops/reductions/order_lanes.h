// SPDX-License-Identifier: Apache-2.0
//
// The order of elements that sorting and selection share: -0 equals +0, and NaN is larger than all numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::loops::reductions {

/// Contiguous elements of which records are made, see records.h: ShortRecord for elements of up to 4 bytes, LongRecord
/// for longer ones.
struct Ordered {
  const std::byte* elements;
  int64_t n;
  bool descending;  // ranks are inverted
};

struct OrderFunctions {
  /// Makes the records of the first `count` elements.
  void (*make)(const Ordered& row, int64_t count, void* records);
  /// Appends the records whose rank is below `bound`, from position `first` on, to the `*count` that are there, until
  /// `room` records are too few for another register of elements. Returns the first position that was not examined.
  int64_t (*append_below)(const Ordered& row, int64_t first, uint64_t bound, void* records, int64_t* count,
                          int64_t room);
  /// The rank of NaN in ascending order; 0 if the dtype has none.
  uint64_t nan_rank;
};

/// Room for this many records is always enough for a register of elements.
inline constexpr int64_t kRecordsOfRegister = 256;

/// For all real dtypes; `target` is a HWY_* bit.
OrderFunctions OrderFunctionsOf(aclDataType dtype, int64_t target);

}  // namespace portacl::loops::reductions
