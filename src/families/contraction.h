// SPDX-License-Identifier: Apache-2.0
//
// Sums of products along an axis of any stride, which the kernel walks. Integers wrap modulo 2^n; floats are summed in
// float64.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "families/dtypes.h"
#include "families/stored_numbers.h"
#include "loops/tiles/tile.h"

namespace portacl::families {

/// The unsigned dtype of the same size: signed and unsigned integers have the same low bits in sums and products.
inline aclDataType Unsigned(aclDataType dtype) {
  constexpr aclDataType kOfBytes[] = {ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64};
  if (!kWhole.Holds(dtype)) return dtype;
  return kOfBytes[std::countr_zero(ElementBytes(dtype))];
}

/// The parameters of the lane code: the terms of each sum.
struct Terms {
  int64_t count;
  int64_t steps[2];  // bytes from one factor to the next
};

// Uses four sums, so that additions do not wait for each other.
template <class Number>
typename Number::Computed SumOfProducts(const Terms& terms, const std::byte* x, const std::byte* y) {
  constexpr int64_t kSums = 4;
  typename Number::Computed sums[kSums] = {};
  const auto add = [&](int64_t i, int64_t sum) {
    sums[sum] += LoadNumber<Number>(x + i * terms.steps[0]) * LoadNumber<Number>(y + i * terms.steps[1]);
  };
  int64_t i = 0;
  for (; i + kSums <= terms.count; i += kSums) {
    for (int64_t sum = 0; sum < kSums; ++sum) add(i + sum, sum);
  }
  for (; i < terms.count; ++i) add(i, 0);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Number>
void RunContraction(const loops::Tile& tile) {
  const Terms& terms = *static_cast<const Terms*>(tile.parameters);
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t column = 0; column < tile.columns; ++column) {
      const auto place = [&](int operand) {
        return tile.Row<std::byte>(operand, row) + column * tile.operand[operand].column_stride;
      };
      StoreNumber<Number>(SumOfProducts<Number>(terms, place(0), place(1)), place(2));
    }
  }
}

/// For two factors and an output of the same dtype, of any strides (any_strides).
inline loops::LaneFunction FindContraction(aclDataType dtype) {
  switch (Unsigned(dtype)) {
    case ACL_FLOAT:
      return RunContraction<Plain<float>>;
    case ACL_FLOAT16:
      return RunContraction<Half>;
    case ACL_UINT8:
      return RunContraction<Plain<uint8_t>>;
    case ACL_UINT16:
      return RunContraction<Plain<uint16_t>>;
    case ACL_UINT32:
      return RunContraction<Plain<uint32_t>>;
    default:
      return RunContraction<Plain<uint64_t>>;
  }
}

}  // namespace portacl::families
