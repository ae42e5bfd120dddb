// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/swi_glu/swi_glu_lanes.h"

#include <bit>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/swi_glu/swi_glu_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"
#include "simd/map.h"
#include "simd/sigmoid.h"
#include "simd/two_passes.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::swi_glu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// Products of three factors can leave the range of float32 in an intermediate result although the final one is in
// range. FLOAT16 values are never that large or small.
template <class T>
constexpr bool kCanLeaveRange = !std::is_same_v<T, hwy::float16_t>;

// How elements are computed. The result has the same bits each way.
enum class Way {
  kOrdinary,   // no |A| above kOrdinaryLimit, no other factor above kModerate
  kUnderflow,  // sigmoid may underflow; no factor above kModerate
  kAny,        // any factors
};
constexpr float kModerate = 0x1p31f;
// Products with e^-50 are already 0 in FLOAT16, except those of infinite factors.
template <class T>
constexpr float kOrdinaryLimit = kCanLeaveRange<T> ? simd::kSigmoidLimit : 50.0f;

// v q w for |q| <= 1, where q is no subnormal. If |v| >= 1, v q is no subnormal either. Otherwise q is multiplied with
// w first: if w q is a subnormal, the bits that it loses become smaller still when multiplied with v. Only the result
// can overflow.
template <class D, class V>
HWY_INLINE V Damped(D d, V v, V q, V w) {
  const auto small = hn::Lt(hn::Abs(v), hn::Set(d, 1.0f));
  return hn::Mul(hn::Mul(hn::IfThenElse(small, w, v), q), hn::IfThenElse(small, v, w));
}

template <class D, class V>
HWY_INLINE auto AreModerate(D d, V v, V w) {
  const V most = hn::Set(d, kModerate);
  return hn::And(hn::Le(hn::Abs(v), most), hn::Le(hn::Abs(w), most));
}

// e^-A for kOrdinary.
template <class T>
struct PowerOfA {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a) const {
    constexpr bool kNarrow = sizeof(T) == 2;
    return simd::ExpOfNegativeNumber<kNarrow>(d, a);
  }
};

// Sigma, which is sigmoid(A) 2^rest, and e = e^-A 2^-rest. For kOrdinary and for FLOAT16, rest is 0 and is not set; for
// kUnderflow, A is clamped where results are 0.
template <class T, Way kWay, class D, class V>
HWY_INLINE V SigmoidAndExp(D d, V& a, V& e, V& rest) {
  constexpr bool kNarrow = sizeof(T) == 2;
  if constexpr (kWay == Way::kOrdinary) {
    e = PowerOfA<T>()(d, a);
    return simd::SigmoidOfExp(d, e);
  }
  if constexpr (!kCanLeaveRange<T>) {
    e = hn::IfThenElseZero(hn::Le(a, hn::Set(d, simd::kSigmoidLimit)),
                           simd::ExpOfNegative<kNarrow>(d, hn::Max(a, hn::Set(d, -kOrdinaryLimit<T>))));
    return simd::SigmoidOfExp(d, e);
  }
  // Below this A, no product of the factors is a normal float32.
  const V limited = hn::Max(a, hn::Set(d, kWay == Way::kUnderflow ? -140.0f : -300.0f));
  if constexpr (kWay == Way::kUnderflow) a = limited;
  return simd::ScaledSigmoid<kNarrow>(d, limited, e, rest);
}

// Sigma, or 0 where e^-A leaves the range of float64.
template <Way kWay, class D, class V>
HWY_INLINE V AsInFloat64(D d, V a, V sigma) {
  if constexpr (kWay != Way::kAny) return sigma;  // A is above this limit
  return hn::IfThenElseZero(hn::Gt(a, hn::Set(d, -0x1.62e43p9f)), sigma);
}

template <class T, Way kWay, class D, class V>
HWY_INLINE V Unscaled(D d, V v, V a, V rest) {
  if constexpr (kWay == Way::kOrdinary || !kCanLeaveRange<T>) return v;
  constexpr bool kNear = kWay == Way::kUnderflow;
  return simd::Unscaled<kNear>(d, v, a, rest);
}

template <class T, Way kWay>
struct SwishTimesB {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    V e = hn::Undefined(d);
    V rest = hn::Undefined(d);
    const V sigma = SigmoidAndExp<T, kWay>(d, a, e, rest);
    return OfSigmoid(d, a, b, sigma, rest);
  }
  template <class D, class V>
  static HWY_INLINE V OfSigmoid(D d, V a, V b, V sigma, V rest) {
    const V q = AsInFloat64<kWay>(d, a, sigma);
    V product = hn::Mul(hn::Mul(a, b), q);
    if constexpr (kCanLeaveRange<T> && kWay == Way::kAny)
      product = hn::IfThenElse(AreModerate(d, a, b), product, Damped(d, a, q, b));
    return Unscaled<T, kWay>(d, product, a, rest);
  }
};

template <class T, Way kWay>
struct GradientOfA {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V grad) const {
    V e = hn::Undefined(d);
    V rest = hn::Undefined(d);
    const V sigma = SigmoidAndExp<T, kWay>(d, a, e, rest);
    return OfSigmoid(d, a, b, grad, e, sigma, rest);
  }
  // With e^-A.
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V grad, V e) const {
    return OfSigmoid(d, a, b, grad, e, simd::SigmoidOfExp(d, e), hn::Undefined(d));
  }
  template <class D, class V>
  static HWY_INLINE V OfSigmoid(D d, V a, V b, V grad, V e, V sigma, V rest) {
    // 1 + A (1 - sigma) is (1 + A) (1 - sigma) + sigma, and 1 - sigma is e sigma: where the sum passes through zero,
    // near A = -1.28, 1 + A is exact.
    const V sum = hn::MulAdd(hn::Add(hn::Set(d, 1.0f), a), hn::Mul(e, sigma), sigma);
    const V slope = hn::Mul(AsInFloat64<kWay>(d, a, sigma), sum);  // at most 1.1
    V product = hn::Mul(hn::Mul(grad, b), slope);
    if constexpr (kCanLeaveRange<T> && kWay == Way::kAny) {
      // The product of grad and B must not overflow before it is scaled.
      const V smaller = hn::Min(hn::Abs(grad), hn::Abs(b));
      const auto huge = hn::And(simd::SigmoidUnderflows(d, a), hn::Ge(smaller, hn::Set(d, 0x1p64f)));
      const V factor = hn::IfThenElse(huge, hn::Mul(grad, hn::Set(d, 0x1p-64f)), grad);
      rest = hn::Sub(rest, hn::IfThenElseZero(huge, hn::Set(d, 64.0f)));
      // Half of the slope is below 1; doubling the product afterwards is exact.
      const V half = Damped(d, factor, hn::Mul(slope, hn::Set(d, 0.5f)), b);
      product = hn::IfThenElse(AreModerate(d, grad, b), product, hn::Add(half, half));
    }
    return Unscaled<T, kWay>(d, product, a, rest);
  }
};

template <class T, Way kWay>
struct GradientOfB {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V /*b*/, V grad) const {
    return SwishTimesB<T, kWay>()(d, a, grad);
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V /*b*/, V grad, V e) const {
    return SwishTimesB<T, kWay>::OfSigmoid(d, a, grad, simd::SigmoidOfExp(d, e), hn::Undefined(d));
  }
};

// Whether n elements of each input are at most `limit` in magnitude, and none is NaN. Magnitudes are ordered as their
// bits are.
template <class T, class... In>
HWY_INLINE bool AreAtMost(float limit, size_t n, const In*... in) {
  using Bits = std::conditional_t<sizeof(T) == 2, int16_t, int32_t>;
  const hn::ScalableTag<simd::Stored<T>> d;
  const hn::ScalableTag<Bits> di;
  const size_t lanes = hn::Lanes(d);
  const auto magnitude = hn::Set(di, hwy::LimitsMax<Bits>());
  auto most = hn::Zero(di);
  size_t i = 0;
#pragma GCC unroll 4
  for (; i + lanes <= n; i += lanes)
    ((most = hn::Max(most, hn::And(hn::BitCast(di, hn::LoadU(d, in + i)), magnitude))), ...);
  if (i < n) ((most = hn::Max(most, hn::And(hn::BitCast(di, simd::LoadTail(d, in + i, n - i)), magnitude))), ...);
  uint32_t bits = std::bit_cast<uint32_t>(limit);
  if constexpr (std::is_same_v<T, hwy::float16_t>) bits = (bits << 3) - (112u << 26);  // its exponent has five bits
  if constexpr (sizeof(T) == 2) bits >>= 16;
  return hn::AllTrue(di, hn::Lt(most, hn::Set(di, static_cast<Bits>(bits + 1))));
}

// Elements of a row of the gradient, or of the forward operator, which has neither grad nor out_b.
template <class T, bool kIsGrad>
struct Elements {
  using E = simd::Stored<T>;
  size_t n;
  const E* a;
  const E* b;
  E* out_a;
  const E* grad = nullptr;
  E* out_b = nullptr;

  HWY_INLINE Elements Some(size_t i, size_t count) const {
    return {count, a + i, b + i, out_a + i, kIsGrad ? grad + i : nullptr, kIsGrad ? out_b + i : nullptr};
  }

  template <Way kWay>
  HWY_INLINE void Compute(bool non_temporal) const {
    if constexpr (!kIsGrad) {
      simd::Map<T>(SwishTimesB<T, kWay>(), n, non_temporal, out_a, a, b);
    } else if constexpr (kWay == Way::kOrdinary) {
      HWY_ALIGN float powers[kBlock * HWY_LANES(E)];
      simd::MapToFloats<T>(PowerOfA<T>(), n, a, powers);
      simd::MapTwo<T>(GradientOfA<T, kWay>(), GradientOfB<T, kWay>(), n, non_temporal, out_a, out_b, a, b, grad,
                      simd::FirstPass{powers});
    } else {
      simd::MapTwo<T>(GradientOfA<T, kWay>(), GradientOfB<T, kWay>(), n, non_temporal, out_a, out_b, a, b, grad);
    }
  }

  // The same for at most one register of elements.
  template <Way kWay>
  HWY_INLINE void ComputeTail() const {
    if constexpr (kIsGrad) {
      simd::MapTwoTail<T>(GradientOfA<T, kWay>(), GradientOfB<T, kWay>(), 0, n, out_a, out_b, a, b, grad);
    } else {
      simd::MapTail<T>(SwishTimesB<T, kWay>(), 0, n, out_a, a, b);
    }
  }

  // Takes the struct by value: the compiler does not keep members in registers once their address is taken.
  static HWY_NOINLINE void ComputeOthers(Elements elements) {
    if (kCanLeaveRange<T> && AreAtMost<T>(kModerate, elements.n, elements.a) && elements.OthersAreModerate()) {
      elements.template Compute<Way::kUnderflow>(false);
    } else {
      elements.template Compute<Way::kAny>(false);
    }
  }

  HWY_INLINE bool OthersAreModerate() const {
    if constexpr (!kCanLeaveRange<T>) return true;
    if constexpr (kIsGrad) return AreAtMost<T>(kModerate, n, b, grad);
    return AreAtMost<T>(kModerate, n, b);
  }
  HWY_INLINE bool AreOrdinary() const {
    return HWY_LIKELY(AreAtMost<T>(kOrdinaryLimit<T>, n, a) && OthersAreModerate());
  }

  // Registers for which the way is chosen at a time: with two ways in one loop the compiler would reload all constants
  // for each register.
  static constexpr size_t kBlock = 32;

  HWY_INLINE void ComputeAll(bool non_temporal) const {
    // The fallback's code is kept small.
    if constexpr (HWY_TARGET == HWY_EMU128) return Compute<Way::kAny>(false);
    const hn::ScalableTag<E> d;
    const size_t lanes = hn::Lanes(d);
    if (simd::kHasMaskedMemory<decltype(d)> ? n <= lanes : n < lanes)
      return AreOrdinary() ? ComputeTail<Way::kOrdinary>() : ComputeOthers(*this);
    size_t i = 0;
    // With non-temporal stores, blocks start at an aligned address.
    if (const size_t head = non_temporal ? simd::ElementsToAligned(d, out_a) : 0; head != 0 && head < n) {
      const Elements some = Some(0, head);
      some.AreOrdinary() ? some.template ComputeTail<Way::kOrdinary>() : ComputeOthers(some);
      i = head;
    }
    for (; i < n; i += kBlock * lanes) {
      const Elements some = Some(i, HWY_MIN(kBlock * lanes, n - i));
      some.AreOrdinary() ? some.template Compute<Way::kOrdinary>(non_temporal) : ComputeOthers(some);
    }
  }
};

template <class T>
PORTACL_SCHEDULED HWY_ATTR void SwiGlu(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const Elements<T, false> elements{n, tile.Row<E>(0, row), tile.Row<E>(1, row), tile.Row<E>(2, row)};
    elements.ComputeAll(tile.non_temporal);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T>
PORTACL_SCHEDULED HWY_ATTR void SwiGluGrad(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const Elements<T, true> elements{
        n, tile.Row<E>(0, row), tile.Row<E>(1, row), tile.Row<E>(3, row), tile.Row<E>(2, row), tile.Row<E>(4, row)};
    elements.ComputeAll(tile.non_temporal);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindSwiGlu(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return SwiGlu<T>; });
}
loops::LaneFunction FindSwiGluGrad(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return SwiGluGrad<T>; });
}

}  // namespace portacl::ops::swi_glu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::swi_glu, SwiGluLanes, (aclDataType dtype, int64_t target), FindSwiGlu, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::swi_glu, SwiGluGradLanes, (aclDataType dtype, int64_t target), FindSwiGluGrad,
                       dtype)
