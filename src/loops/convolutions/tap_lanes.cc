// SPDX-License-Identifier: Apache-2.0
#include "loops/convolutions/tap_lanes.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/convolutions/tap_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::convolutions::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;

// With more taps than this, sums are float64.
constexpr int64_t kFloatTaps = 49;  // 7 x 7

// Sums four registers of results, so that additions do not wait for each other.
HWY_INLINE void SumFour(const float* const* taps, const float* weights, int64_t count, FloatVector bias, int64_t at,
                        float* results) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t t = 0; t < count; ++t) {
    const float* const from = taps[t] + at;
    const FloatVector weight = hn::Set(d, weights[t]);
    s0 = hn::MulAdd(weight, hn::LoadU(d, from), s0);
    s1 = hn::MulAdd(weight, hn::LoadU(d, from + lanes), s1);
    s2 = hn::MulAdd(weight, hn::LoadU(d, from + 2 * lanes), s2);
    s3 = hn::MulAdd(weight, hn::LoadU(d, from + 3 * lanes), s3);
  }
  hn::StoreU(hn::Add(s0, bias), d, results + at);
  hn::StoreU(hn::Add(s1, bias), d, results + at + lanes);
  hn::StoreU(hn::Add(s2, bias), d, results + at + 2 * lanes);
  hn::StoreU(hn::Add(s3, bias), d, results + at + 3 * lanes);
}

HWY_INLINE void SumInDouble(const float* const* taps, const float* weights, int64_t count, float bias, float* results,
                            int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Half<FloatLanes> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t at = 0; at < n; at += lanes) {
    const auto left = static_cast<size_t>(n - at < lanes ? n - at : lanes);
    auto sum = hn::Zero(d);
    for (int64_t t = 0; t < count; ++t) {
      const auto x =
          left == static_cast<size_t>(lanes) ? hn::LoadU(half, taps[t] + at) : simd::LoadTail(half, taps[t] + at, left);
      sum = hn::MulAdd(hn::Set(d, static_cast<double>(weights[t])), hn::PromoteTo(d, x), sum);
    }
    const auto rounded = hn::Add(hn::DemoteTo(half, sum), hn::Set(half, bias));
    if (left == static_cast<size_t>(lanes))
      hn::StoreU(rounded, half, results + at);
    else
      simd::StoreTail(half, rounded, results + at, left);
  }
}

HWY_ATTR void Sum(const float* const* taps, const float* weights, int64_t count, float bias, float* results,
                  int64_t n) {
  if (count > kFloatTaps) return SumInDouble(taps, weights, count, bias, results, n);
  const FloatLanes d;
  const FloatVector last = hn::Set(d, bias);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t at = 0;
  for (; at + 4 * lanes <= n; at += 4 * lanes) SumFour(taps, weights, count, last, at, results);
  for (; at < n; at += lanes) {
    const auto left = static_cast<size_t>(n - at < lanes ? n - at : lanes);
    const bool is_whole = left == static_cast<size_t>(lanes);
    FloatVector sum = hn::Zero(d);
    for (int64_t t = 0; t < count; ++t) {
      const FloatVector x = is_whole ? hn::LoadU(d, taps[t] + at) : simd::LoadTail(d, taps[t] + at, left);
      sum = hn::MulAdd(hn::Set(d, weights[t]), x, sum);
    }
    sum = hn::Add(sum, last);
    if (is_whole)
      hn::StoreU(sum, d, results + at);
    else
      simd::StoreTail(d, sum, results + at, left);
  }
}

// Loads a register. `count` elements are valid: fewer than two registers hold, possibly none.
HWY_INLINE FloatVector LoadSome(const float* from, int64_t count) {
  const FloatLanes d;
  if (count <= 0) return hn::Zero(d);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  return count >= lanes ? hn::LoadU(d, from) : simd::LoadTail(d, from, static_cast<size_t>(count));
}

HWY_ATTR void Take(const float* from, int64_t from_stride, int64_t step, int64_t rows, int64_t count, float* to,
                   int64_t to_stride) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t row = 0; row < rows; ++row, from += from_stride, to += to_stride) {
    if (step > 2 || (step == 2 && lanes < 4)) {
      for (int64_t i = 0; i < count; ++i) to[i] = from[step * i];
      continue;
    }
    for (int64_t i = 0; i < count; i += lanes) {
      const int64_t left = count - i;
      FloatVector v = LoadSome(from + step * i, step == 1 ? left : 2 * left - 1);
      if (step == 2) v = hn::ConcatEven(d, LoadSome(from + 2 * i + lanes, 2 * left - 1 - lanes), v);
      if (left >= lanes)
        hn::StoreU(v, d, to + i);
      else
        simd::StoreTail(d, v, to + i, static_cast<size_t>(left));
    }
  }
}

SumTaps FindSum() { return Sum; }
TakeRows FindTake() { return Take; }

}  // namespace portacl::loops::convolutions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::convolutions, SumTapsOf, (int64_t target), FindSum)
PORTACL_DISPATCH_LANES(portacl::loops::convolutions, TakeRowsOf, (int64_t target), FindTake)
