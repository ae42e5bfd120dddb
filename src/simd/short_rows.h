// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows that are no longer than a register. As many rows as a register has lanes are reduced at a time,
// one lane of the result per row. Rows are contiguous, so elementwise steps need not know about rows; a table of
// indices spreads a value per row over its elements. Included once per target.

#if defined(PORTACL_SIMD_SHORT_ROWS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_SHORT_ROWS_H_
#undef PORTACL_SIMD_SHORT_ROWS_H_
#else
#define PORTACL_SIMD_SHORT_ROWS_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "simd/row.h"

#if HWY_TARGET <= HWY_AVX2  // shorter registers are not worth the code
HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct AddLanes {
  static constexpr float kNeutral = 0;
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return hn::Add(a, b);
  }
};

struct MaxLanes {
  static constexpr float kNeutral = -__builtin_inff();
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return hn::Max(a, b);
  }
};

/// The first n elements of each half of a register, and the neutral element in the other lanes.
template <class Op>
HWY_INLINE FloatVector OwnOf(FloatVector v, FloatVector own) {
  return hn::IfThenElse(hn::MaskFromVec(own), v, hn::Set(FloatLanes(), Op::kNeutral));
}

/// The first step of the tree: a register with one row in each half. Rows of up to half a register are loaded; longer
/// ones (kLong) are loaded as a register each and folded once.
template <class Op, bool kLong>
struct RowPairs {
  const float* rows;
  size_t n;

  HWY_INLINE FloatVector operator()(size_t pair, FloatVector own) const {
    const FloatLanes d;
    const hn::Half<FloatLanes> half;
    const float* const first = rows + 2 * pair * n;
    if constexpr (kLong) {
      const FloatVector a = OwnOf<Op>(hn::LoadU(d, first), own);
      const FloatVector b = OwnOf<Op>(hn::LoadU(d, first + n), own);
      // Joins lane j + 8 with lane j, or neighbours if there are eight lanes.
      if constexpr (HWY_LANES(float) == 8) return Op::Join(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
      return Op::Join(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    } else {
      return OwnOf<Op>(hn::Combine(d, hn::LoadU(half, first + n), hn::LoadU(half, first)), own);
    }
  }
};

/// Joins neighbouring lanes until each row has one lane left, in the order of the rows.
template <class Op, size_t kPairs, class Pairs>
HWY_INLINE FloatVector JoinPairs(const Pairs& pairs, size_t first, FloatVector own) {
  if constexpr (kPairs == 1) {
    return pairs(first, own);
  } else {
    const FloatLanes d;
    const FloatVector a = JoinPairs<Op, kPairs / 2>(pairs, first, own);
    const FloatVector b = JoinPairs<Op, kPairs / 2>(pairs, first + kPairs / 2, own);
    return Op::Join(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
  }
}

/// Reduces as many rows of n elements as a register has lanes: lane r is the sum, or the largest element, of row r.
/// Sums are the same as those of SumRow. May read up to one register beyond the rows, without using it.
template <class Op>
HWY_INLINE FloatVector ReduceRows(const float* rows, size_t n) {
  const FloatLanes d;
  constexpr size_t kLanes = HWY_LANES(float);
  const bool is_long = n > kLanes / 2;
  const hn::RebindToSigned<FloatLanes> di;
  const auto lane = is_long ? hn::Iota(di, 0) : hn::And(hn::Iota(di, 0), hn::Set(di, int{kLanes / 2 - 1}));
  const FloatVector own = hn::BitCast(d, hn::VecFromMask(di, hn::Lt(lane, hn::Set(di, static_cast<int32_t>(n)))));
  if (is_long) return JoinPairs<Op, kLanes / 2>(RowPairs<Op, true>{rows, n}, 0, own);
  return JoinPairs<Op, kLanes / 2>(RowPairs<Op, false>{rows, n}, 0, own);
}

/// Fills a table with the row of each element, for as many rows of n elements as a register has lanes. See SpreadRows.
HWY_INLINE void FillRowIndices(size_t n, int32_t* indices) {
  for (size_t row = 0; row < HWY_LANES(float); ++row) {
    for (size_t j = 0; j < n; ++j) *indices++ = static_cast<int32_t>(row);
  }
}

/// Lane i of the result is lane indices[i] of `of_rows`.
HWY_INLINE FloatVector SpreadRows(FloatVector of_rows, const int32_t* indices) {
  return hn::TableLookupLanes(of_rows, hn::SetTableIndices(FloatLanes(), indices));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // per-target include guard
