// SPDX-License-Identifier: Apache-2.0
//
// The sum of the products of two rows' elements. Included once per target.

#if defined(PORTACL_SIMD_ROW_PRODUCTS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ROW_PRODUCTS_H_
#undef PORTACL_SIMD_ROW_PRODUCTS_H_
#else
#define PORTACL_SIMD_ROW_PRODUCTS_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/row.h"
#include "simd/row_sum.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct RowProducts {
  const Stored<T>* a;
  const Stored<T>* b;

  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    return hn::MulAdd(LoadFloats<T>(a + i), LoadFloats<T>(b + i), sum);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    return hn::MulAdd(LoadFloats<T>(a + i, n), LoadFloats<T>(b + i, n), sum);
  }
};

/// The same for pairs of BFLOAT16 elements, from pair i on. They are split into even and odd elements: keeping their
/// order would take a third of the instructions.
struct RowPairProducts {
  const uint16_t* a;
  const uint16_t* b;

  PORTACL_LANE_INLINE FloatVector Add(HalfVector v, HalfVector w, FloatVector sum) const {
    using Bfloat16 = hwy::bfloat16_t;
    sum = hn::MulAdd(WidenFirst<Bfloat16>(v), WidenFirst<Bfloat16>(w), sum);
    return hn::MulAdd(WidenSecond<Bfloat16>(v), WidenSecond<Bfloat16>(w), sum);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    const HalfLanes d;
    return Add(InRegister(hn::LoadU(d, a + 2 * i)), InRegister(hn::LoadU(d, b + 2 * i)), sum);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    const HalfLanes d;
    return Add(LoadTail(d, a + 2 * i, 2 * n), LoadTail(d, b + 2 * i, 2 * n), sum);
  }
};

template <class T>
HWY_INLINE float SumOfProducts(const Stored<T>* a, const Stored<T>* b, size_t n) {
  // Short rows have the same order of sums as where several are computed at a time.
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    if (n > kShortRow) {
      double sum = SumRow(n / 2, RowPairProducts{a, b});
      if (n % 2 != 0) {
        const FloatVector last = RowProducts<T>{a, b}(n - 1, 1, hn::Zero(FloatLanes()));
        sum += double{hn::GetLane(last)};
      }
      return static_cast<float>(sum);
    }
  }
  return static_cast<float>(SumRow(n, RowProducts<T>{a, b}));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
