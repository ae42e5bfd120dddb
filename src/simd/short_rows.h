// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows no longer than a register, as many of them at a time as a register has lanes: one lane of the
// result a row. Rows lie one after the other, so that all that is done to single elements needs no thought of rows;
// what belongs to a row is spread over its elements by a table of indices. Included once per target.

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

/// The longest rows that this is for.
inline constexpr size_t kLongestShortRow = HWY_LANES(float);

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

/// The first n elements of each half of a register, the neutral element elsewhere.
template <class Op>
HWY_INLINE FloatVector OwnOf(FloatVector v, FloatVector own) {
  return hn::IfThenElse(hn::MaskFromVec(own), v, hn::Set(FloatLanes(), Op::kNeutral));
}

/// Two rows of up to half a register, or one of up to a whole one folded once, in each half of a register: the first
/// step of the tree. Rows of half a register and less come in pairs, longer ones (kLong) one by one.
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
      // Lane j + 8 to j; from eight lanes on neighbours are joined.
      if constexpr (HWY_LANES(float) == 8) return Op::Join(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
      return Op::Join(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    } else {
      return OwnOf<Op>(hn::Combine(d, hn::LoadU(half, first + n), hn::LoadU(half, first)), own);
    }
  }
};

/// Joins neighbouring lanes until one lane of a row is left; rows stay in their order.
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

/// For as many rows of n elements as a register has lanes: lane r is the sum, or the largest, of row r. Sums are those
/// of SumRow. Up to a register behind the rows is read and not used.
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

/// Row of each of the elements of as many rows of n: for SpreadRows.
HWY_INLINE void FillRowIndices(size_t n, int32_t* indices) {
  for (size_t row = 0; row < HWY_LANES(float); ++row) {
    for (size_t j = 0; j < n; ++j) *indices++ = static_cast<int32_t>(row);
  }
}

/// Lane indices[i] of `of_rows` in lane i.
HWY_INLINE FloatVector SpreadRows(FloatVector of_rows, const int32_t* indices) {
  return hn::TableLookupLanes(of_rows, hn::SetTableIndices(FloatLanes(), indices));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // per-target include guard
