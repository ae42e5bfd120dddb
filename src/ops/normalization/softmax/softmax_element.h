// SPDX-License-Identifier: Apache-2.0
//
// The operations of this room on elements of a row. Included once per target.

#if defined(PORTACL_SOFTMAX_ELEMENT_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SOFTMAX_ELEMENT_H_
#undef PORTACL_SOFTMAX_ELEMENT_H_
#else
#define PORTACL_SOFTMAX_ELEMENT_H_
#endif

#include <cmath>
#include <cstddef>

#include "hwy/highway.h"
#include "simd/row.h"
#include "simd/row_softmax.h"
#include "simd/row_sum.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::softmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;

template <class T>
constexpr bool kIsNarrow = sizeof(T) == 2;

// The elements of a row, for LargestOf.
template <class T>
struct Elements {
  const simd::Stored<T>* x;

  PORTACL_LANE_INLINE FloatVector operator()(size_t i) const { return simd::LoadFloats<T>(x + i); }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n) const {
    const FloatLanes d;
    return hn::IfThenElse(hn::FirstN(d, n), simd::LoadFloats<T>(x + i, n), hn::Set(d, -__builtin_inff()));
  }
};

// The sum of the exponentials of all elements below the largest; the others are counted.
template <class T>
struct SmallerTerms {
  const simd::Stored<T>* x;
  float most;
  size_t* largest;

  PORTACL_LANE_INLINE FloatVector Add(FloatVector v, hn::Mask<FloatLanes> counts, FloatVector sum) const {
    const FloatLanes d;
    FloatVector difference = hn::Undefined(d);
    const FloatVector e = simd::ExpBelow<kIsNarrow<T>>(d, v, hn::Set(d, most), difference);
    const auto is_largest = hn::And(counts, hn::Eq(difference, hn::Zero(d)));
    *largest += hn::CountTrue(d, is_largest);
    return hn::Add(sum, hn::IfThenElseZero(hn::AndNot(is_largest, counts), e));
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    const FloatLanes d;
    return Add(simd::LoadFloats<T>(x + i), hn::FirstN(d, hn::Lanes(d)), sum);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    return Add(simd::LoadFloats<T>(x + i, n), hn::FirstN(FloatLanes(), n), sum);
  }
};

// The sum of e^(x - most) without one of the largest elements: its log1p has a small relative error also if one element
// dominates.
template <class T>
HWY_INLINE double SumOfOthers(const simd::Stored<T>* x, size_t n, float most) {
  size_t largest = 0;
  const double smaller = simd::SumRow(n, SmallerTerms<T>{x, most, &largest});
  return smaller + (static_cast<double>(largest) - 1);
}

// e^(x - most) / sum
template <class T>
struct ShareOf {
  ShareOf(float largest, double sum)
      : most(largest),
        reciprocal(static_cast<float>(double{simd::kQuotientScale} / sum)),
        rest(static_cast<float>(double{simd::kQuotientScale} / sum - double{reciprocal})) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    V difference = hn::Undefined(d);
    const V e = simd::ExpBelow<kIsNarrow<T>>(d, x, hn::Set(d, most), difference);
    return simd::ScaledQuotient<kIsNarrow<T>>(d, e, hn::Set(d, reciprocal), hn::Set(d, rest));
  }
  float most;
  float reciprocal;
  float rest;
};

}  // namespace portacl::ops::softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
