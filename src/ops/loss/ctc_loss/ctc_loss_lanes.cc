// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"

#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/ctc_loss/ctc_loss_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/for_float.h"
#include "ops/loss/ctc_loss/ctc_loss_pairs.h"
#include "ops/loss/ctc_loss/ctc_loss_scaled.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/evaluate.h"
#include "simd/exp.h"
#include "simd/log.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// The range of simd::Exp.
constexpr float kLeastExponentiated = -0x1.5d589ep6f;
constexpr float kMostExponentiated = 88.0f;

// For any log-probability; used for the few outside the polynomial's range. -Inf becomes NaN, as the gradient requires.
template <class D, class V>
HWY_NOINLINE V UncommonExponentials(D d, V x) {
  const V infinity = hn::Inf(d);
  // Outside the polynomial's range the result is a square, up to infinity.
  const V half =
      simd::Exp<false>(d, hn::Mul(hn::Min(hn::Max(x, hn::Set(d, 0.0f)), hn::Set(d, 170.0f)), hn::Set(d, 0.5f)));
  const V below = hn::IfThenElseZero(hn::Ge(x, hn::Set(d, kLeastExponentiated)), simd::Exp<false>(d, x));
  V result = hn::IfThenElse(hn::Gt(x, hn::Set(d, kMostExponentiated)), hn::Mul(half, half), below);
  result = hn::IfThenElse(hn::Eq(x, infinity), infinity, result);
  // Highway's NaN(d) has bits set in its lower half, see simd::NarrowResults.
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Neg(infinity))), nan, result);
}

struct ExponentialTimesGrad {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto ordinary =
        hn::And(hn::Le(x, hn::Set(d, kMostExponentiated)), hn::Ge(x, hn::Set(d, std::numeric_limits<float>::lowest())));
    V result;
    if (HWY_LIKELY(hn::AllTrue(d, ordinary))) {
      // Subnormal results become 0.
      result = hn::IfThenElseZero(hn::Ge(x, hn::Set(d, kLeastExponentiated)), simd::Exp<false>(d, x));
    } else {
      result = UncommonExponentials(d, x);
    }
    return hn::Mul(result, hn::Set(d, grad));
  }
  float grad;
};

template <class T>
HWY_ATTR void ExponentialsOfRow(const std::byte* lp, std::byte* out, size_t n, double grad) {
  using E = simd::Stored<T>;
  simd::Map<T>(ExponentialTimesGrad{static_cast<float>(grad)}, n, false, reinterpret_cast<E*>(out),
               reinterpret_cast<const E*>(lp));
}

HWY_ATTR void ExponentialsOfDoubleRow(const std::byte* lp, std::byte* out, size_t n, double grad) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  const double* const from = reinterpret_cast<const double*>(lp);
  double* const to = reinterpret_cast<double*>(out);
  for (size_t i = 0; i < n; i += lanes) {
    const size_t count = HWY_MIN(lanes, n - i);
    const Vector x = simd::LoadTail(d, from + i, count);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, 700.0))))) {
      simd::StoreTail(d, hn::Mul(simd::Exp<false>(d, x), hn::Set(d, grad)), to + i, count);
    } else {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      for (size_t lane = i; lane < i + count; ++lane) {
        to[lane] = (from[lane] == -kInfinity ? std::numeric_limits<double>::quiet_NaN() : std::exp(from[lane])) * grad;
      }
    }
  }
}

template <class T>
HWY_ATTR void NarrowFloats(const float* from, std::byte* to, size_t n) {
  const FloatLanes d;
  const simd::HalfLanes half;
  const size_t lanes = hn::Lanes(half);
  for (size_t i = 0; i < n; i += lanes) {
    FloatVector first = hn::LoadU(d, from + i);
    FloatVector second = hn::LoadU(d, from + i + lanes / 2);
    if constexpr (simd::kSplitsEvenAndOdd<T>) hn::LoadInterleaved2(d, from + i, first, second);
    simd::StoreTail(half, simd::Narrow<T>(first, second), reinterpret_cast<uint16_t*>(to) + i, HWY_MIN(lanes, n - i));
  }
}

template <class T>
HWY_ATTR void WidenFloats(const std::byte* from, float* to, size_t n) {
  const FloatLanes d;
  const simd::HalfLanes half;
  const size_t lanes = hn::Lanes(half);
  for (size_t i = 0; i < n; i += lanes) {
    const auto both = simd::LoadTail(half, reinterpret_cast<const uint16_t*>(from) + i, HWY_MIN(lanes, n - i));
    const FloatVector first = simd::WidenFirst<T>(both);
    const FloatVector second = simd::WidenSecond<T>(both);
    if constexpr (simd::kSplitsEvenAndOdd<T>) {
      hn::StoreInterleaved2(first, second, d, to + i);
    } else {
      hn::StoreU(first, d, to + i);
      hn::StoreU(second, d, to + i + lanes / 2);
    }
  }
}

template <class T>
HalfFloats HalfFloatsOf() {
  return {NarrowFloats<T>, WidenFloats<T>};
}

HWY_ATTR void StreamBytes(const std::byte* from, std::byte* to, size_t bytes, [[maybe_unused]] const std::byte* ahead) {
#if HWY_TARGET == HWY_EMU128  // EMU128 has no non-temporal stores
  std::memcpy(to, from, bytes);
#else
  // Whole cache lines: those at the ends are shared with rows that are written at another time.
  constexpr size_t kLine = 64;
  const hn::CappedTag<uint8_t, kLine> d;
  const size_t head = HWY_MIN(bytes, -reinterpret_cast<uintptr_t>(to) % kLine);
  const size_t tail = head + (bytes - head) / kLine * kLine;
  std::memcpy(to, from, head);
  for (size_t i = head; i < tail; i += hn::Lanes(d)) {
    __builtin_prefetch(ahead + i, 0, 2);
    const auto some = hn::LoadU(d, reinterpret_cast<const uint8_t*>(from) + i);
    hn::Stream(some, d, reinterpret_cast<uint8_t*>(to) + i);
  }
  std::memcpy(to + tail, from + tail, bytes - tail);
#endif
}

template <bool kNarrow>
const Kernels* Table() {
  static const Kernels kernels = {hn::Lanes(Lanes()),
                                  {ScaledExponentials, ForwardScaled, AdvanceScaled<false, false>, ScaledGradients},
                                  {Exponentials<kNarrow>, AdvancePairs<true>, AdvancePairs<false>, Logarithms<kNarrow>,
                                   LogarithmPairs, Posteriors<kNarrow>},
                                  StreamBytes};
  return &kernels;
}

const Kernels& FindKernels(aclDataType dtype) { return dtype == ACL_DOUBLE ? *Table<false>() : *Table<true>(); }
ExponentialRow FindExponentialRow(aclDataType dtype) {
  if (dtype == ACL_DOUBLE) return ExponentialsOfDoubleRow;
  return loops::ForFloat(dtype, []<class T>() { return ExponentialsOfRow<T>; });
}
HalfFloats FindHalfFloats(aclDataType dtype) {
  if (dtype == ACL_FLOAT16) return HalfFloatsOf<hwy::float16_t>();
  return dtype == ACL_BF16 ? HalfFloatsOf<hwy::bfloat16_t>() : HalfFloats();
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::ctc_loss, KernelsFor, (aclDataType dtype, int64_t target), FindKernels, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::ctc_loss, ExponentialRowFor, (aclDataType dtype, int64_t target),
                       FindExponentialRow, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::ctc_loss, HalfFloatsFor, (aclDataType dtype, int64_t target), FindHalfFloats,
                       dtype)
