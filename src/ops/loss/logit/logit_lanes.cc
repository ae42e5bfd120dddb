// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/logit/logit_lanes.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/logit/logit_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/for_float.h"
#include "loops/tiles/map_rows.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::logit::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using loops::HWY_NAMESPACE::MapRows;

// ln(z / (1 - z)) for z = input, clamped to [lo, hi] if there are limits. For 16-bit T five steps are skipped: all
// results stay the same, and a register takes a fifth less time.
template <class T, bool kLimited>
struct LogOdds {
  float lo;
  float hi;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V input) const {
    V z = input;
    if constexpr (kLimited) {
      // The lower limit is applied first, as it may be the larger one. The comparison lets NaN pass.
      const V not_above = hn::IfThenElse(hn::Gt(input, hn::Set(d, hi)), hn::Set(d, hi), input);
      z = hn::IfThenElse(hn::Lt(input, hn::Set(d, lo)), hn::Set(d, lo), not_above);
    }
    // Normal numbers below 1 need no special cases, and nearly all registers hold only such; the special cases take a
    // third of the logarithm's time. Both paths give the same bits, so that no element depends on its neighbours.
    // Positive floats are ordered as their bits.
    const hn::RebindToUnsigned<D> du;
    constexpr uint32_t kFirst = 0x00800000;
    constexpr uint32_t kOne = 0x3F800000;
    const auto distance = hn::Sub(hn::BitCast(du, z), hn::Set(du, kFirst));
    if (HWY_LIKELY(hn::AllTrue(du, hn::Lt(distance, hn::Set(du, kOne - kFirst))))) {
      return Finite(d, z, z, hn::Zero(hn::RebindToSigned<D>()));
    }
    return Any(d, z);
  }

 private:
  static constexpr bool kNarrow = sizeof(T) == 2;

  // z = m * 2^e for a normal m > 0 and 0 < z < 1, where e << 23 is given.
  template <class D, class V, class VI>
  static HWY_INLINE V Finite(D d, V z, V m, VI e_bits) {
    const hn::RebindToSigned<D> di;
    const V one = hn::Set(d, 1.0f);
    // m / (1 - z) = 2^k r with r in [0.66, 1.5]: the difference of their bit patterns is 2^23 log2(m / (1 - z)) to
    // within a tenth.
    const V u = hn::Sub(one, z);
    const VI difference = hn::Sub(hn::BitCast(di, m), hn::BitCast(di, u));
    const VI k_bits = hn::And(hn::Add(difference, hn::Set(di, 0x00400000)), hn::Set(di, ~0x007FFFFF));
    const V scaled = hn::BitCast(d, hn::Sub(hn::BitCast(di, m), k_bits));  // m / 2^k
    // ln r = 2 artanh(s), s = (r - 1) / (r + 1). The difference of two close floats is exact.
    V numerator = hn::Sub(scaled, u);
    if constexpr (!kNarrow) {
      // 1 - z is u + rest exactly, and near z = 0.5 the result depends on it: there k = 0 and s = 2z - 1 without error.
      const V rest = hn::Sub(hn::Sub(one, u), z);
      numerator = hn::Sub(numerator, rest);
    }
    const V s = hn::Div(numerator, hn::Add(scaled, u));
    const V q = hn::Mul(s, s);
    // (2 artanh(s) - 2s) / s^3 for s^2 <= 0.0402, minimax (Remez's algorithm): adds at most 0.05 * 2^-24 (narrow: 6.4 *
    // 2^-24) to the relative error of ln r.
    V series;
    if constexpr (kNarrow) {
      series = hn::MulAdd(q, hn::Set(d, 0x1.aa9732p-2f), hn::Set(d, 0x1.5539e8p-1f));
    } else {
      series = hn::MulAdd(q, hn::Set(d, 0x1.36fcf8p-2f), hn::Set(d, 0x1.9929e6p-2f));
      series = hn::MulAdd(q, series, hn::Set(d, 0x1.5555b4p-1f));
    }
    V sum = hn::MulAdd(hn::Mul(s, q), series, hn::Add(s, s));
    const V k = hn::ConvertTo(d, hn::Add(k_bits, e_bits));  // (k + e) 2^23
    if constexpr (kNarrow) return hn::MulAdd(k, hn::Set(d, 0x1.62e43p-1f * 0x1p-23f), sum);
    // ln 2 in two parts, the first with few enough bits that its product with k is exact even without fused
    // multiply-add.
    sum = hn::MulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f * 0x1p-23f), sum);
    return hn::MulAdd(k, hn::Set(d, 0x1.62e4p-1f * 0x1p-23f), sum);
  }

  // Any input: subnormals, 0, 1, values outside [0, 1], NaN.
  template <class D, class V>
  static HWY_NOINLINE V Any(D d, V z) {
    const hn::RebindToSigned<D> di;
    // A subnormal is its bit pattern, as an integer, times 2^-149: no arithmetic is done on the subnormal itself.
    const auto bits = hn::BitCast(di, z);
    const auto subnormal = hn::Lt(bits, hn::Set(di, 0x00800000));
    const V m = hn::IfThenElse(hn::RebindMask(d, subnormal), hn::ConvertTo(d, bits), z);
    const V finite = Finite(d, z, m, hn::IfThenElseZero(subnormal, hn::Set(di, -(149 << 23))));
    // NaN has been propagated. -0 is not outside.
    const auto outside = hn::BroadcastSignBit(hn::BitCast(di, hn::Or(z, hn::Sub(hn::Set(d, 1.0f), z))));
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    const V inside = hn::IfVecThenElse(hn::BitCast(d, outside), nan, finite);
    const V not_one = hn::IfThenElse(hn::Eq(z, hn::Set(d, 1.0f)), hn::Set(d, kInfinity), inside);
    return hn::IfThenElse(hn::Eq(z, hn::Zero(d)), hn::Set(d, -kInfinity), not_one);
  }
};

// v (1 - v). With fused multiply-add, v - v*v loses no bits to cancellation, and the quotient is within 1.5 ULP.
// Without, its error would be 2,900 ULP, but the product of two rounded factors keeps it within 2.1 ULP.
template <class D, class V>
HWY_INLINE V Slope([[maybe_unused]] D d, V v) {
#if HWY_NATIVE_FMA
  return hn::NegMulAdd(v, v, v);
#else
  return hn::Mul(v, hn::Sub(hn::Set(d, 1.0f), v));
#endif
}

struct Quotient {
  float lo;
  float hi;
  float outside;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    // -0 is treated as +0: a division by -0 would give the wrong sign.
    const V slope = Slope(d, hn::Abs(x));
    // The comparison treats NaN as not outside: the result must be NaN, whatever the limits.
    const auto is_outside = hn::Or(hn::Lt(x, hn::Set(d, lo)), hn::Gt(x, hn::Set(d, hi)));
    // Outside the limits, x may be so large that the quotient would be subnormal, which takes 70 ns on some processors.
    const V quotient = hn::Div(dy, hn::IfThenElse(is_outside, hn::Set(d, 1.0f), slope));
    return hn::IfThenElse(is_outside, hn::Set(d, outside), quotient);
  }
};

#if HWY_TARGET == HWY_AVX2
// For x inside the limits and not below +0. The selects of Quotient take up to two fifths of its time in the caches,
// but little with AVX-512.
struct InsideQuotient {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    return hn::Div(dy, Slope(d, x));
  }
};

// Whether four registers of elements are for InsideQuotient. The stored bits of numbers from +0 on are ordered as the
// numbers are.
template <class T>
HWY_INLINE bool AreInside(const LogitGradParameters& p, const simd::Stored<T>* x) {
  using Bits = std::conditional_t<sizeof(T) == 2, int16_t, int32_t>;
  const hn::ScalableTag<Bits> d;
  // Distances from the first number inside, less half the range of Bits: the largest is found among signed numbers.
  constexpr auto kLeast = static_cast<uint32_t>(hwy::LimitsMin<Bits>());
  const auto first = hn::Set(d, static_cast<Bits>(p.first_inside + kLeast));
  const auto last = hn::Set(d, static_cast<Bits>(p.inside - 1 + kLeast));
  const auto distance = [=](size_t i) HWY_ATTR {
    return hn::Sub(hn::LoadU(d, reinterpret_cast<const Bits*>(x) + i * hn::Lanes(d)), first);
  };
  const auto most = hn::Max(hn::Max(distance(0), distance(1)), hn::Max(distance(2), distance(3)));
  return hn::AllFalse(d, hn::Gt(most, last));
}

template <class T, class Kernel>
HWY_INLINE void MapFour(const Kernel& kernel, bool non_temporal, simd::Stored<T>* out, const simd::Stored<T>* x,
                        const simd::Stored<T>* dy) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<simd::Stored<T>>());
  simd::MapRegister<T>(kernel, 0, non_temporal, out, x, dy);
  simd::MapRegister<T>(kernel, lanes, non_temporal, out, x, dy);
  simd::MapRegister<T>(kernel, 2 * lanes, non_temporal, out, x, dy);
  simd::MapRegister<T>(kernel, 3 * lanes, non_temporal, out, x, dy);
}

// Maps the elements from `i` on, four registers at a time; returns the end position.
template <class T, bool kLarge>
HWY_INLINE size_t MapFours(const LogitGradParameters& p, size_t i, size_t n, simd::Stored<T>* out,
                           const simd::Stored<T>* x, const simd::Stored<T>* dy) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<simd::Stored<T>>());
  const bool streams = kLarge && out != x && out != dy;
  const bool is_aligned = simd::ElementsToAligned(hn::ScalableTag<simd::Stored<T>>(), out + i) == 0;
  simd::BlockWalk walk(i, n, 4 * lanes, is_aligned && (simd::IsJustBehind(x, out) || simd::IsJustBehind(dy, out)));
  [[maybe_unused]] const int64_t ahead = kLarge ? walk.Ahead(CurrentTuning().elementwise_prefetch_bytes) : 0;
  for (; walk.left != 0; walk.Next()) {
    const size_t at = walk.at;
    for (size_t j = at; kLarge && j < at + 4 * lanes; j += lanes) {
      simd::FetchAhead(x, j, ahead);
      simd::FetchAhead(dy, j, ahead);
    }
    if (HWY_LIKELY(AreInside<T>(p, x + at))) {
      MapFour<T>(InsideQuotient(), streams, out + at, x + at, dy + at);
    } else {
      MapFour<T>(Quotient{p.lo, p.hi, p.outside}, streams, out + at, x + at, dy + at);
    }
  }
  return walk.end;
}

// As simd::Map.
template <class T>
HWY_INLINE void MapQuotients(const LogitGradParameters& p, size_t n, bool is_large, simd::Stored<T>* out,
                             const simd::Stored<T>* x, const simd::Stored<T>* dy) {
  const Quotient any{p.lo, p.hi, p.outside};
  if (p.inside == 0) return simd::Map<T>(any, n, is_large, out, x, dy);
  size_t i = 0;
  const size_t head = is_large ? simd::ElementsToAligned(hn::ScalableTag<simd::Stored<T>>(), out) : n;
  if (head < n) {
    simd::Map<T>(any, head, false, out, x, dy);
    i = MapFours<T, true>(p, head, n, out, x, dy);
  }
  i = MapFours<T, false>(p, i, n, out, x, dy);
  simd::Map<T>(any, n - i, false, out + i, x + i, dy + i);
}
#else
template <class T>
HWY_INLINE void MapQuotients(const LogitGradParameters& p, size_t n, bool is_large, simd::Stored<T>* out,
                             const simd::Stored<T>* x, const simd::Stored<T>* dy) {
  simd::Map<T>(Quotient{p.lo, p.hi, p.outside}, n, is_large, out, x, dy);
}
#endif

struct DyTimesInfinity {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    const V product = hn::Mul(dy, hn::Set(d, std::numeric_limits<float>::infinity()));
    return hn::IfThenElse(hn::IsNaN(x), x, product);
  }
};

template <class T>
HWY_ATTR void Logit(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const LogitParameters*>(tile.parameters);
  if (parameters.limited) {
    MapRows<T, 1>(LogOdds<T, true>{parameters.lo, parameters.hi}, tile);
  } else {
    MapRows<T, 1>(LogOdds<T, false>{parameters.lo, parameters.hi}, tile);
  }
}

template <class T>
HWY_ATTR void LogitGrad(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const LogitGradParameters*>(tile.parameters);
  if (parameters.infinite) {
    MapRows<T, 2>(DyTimesInfinity{}, tile);
  } else {
    using E = simd::Stored<T>;
    for (int64_t row = 0; row < tile.rows; ++row) {
      MapQuotients<T>(parameters, static_cast<size_t>(tile.columns), tile.is_large, tile.Row<E>(2, row),
                      tile.Row<E>(0, row), tile.Row<E>(1, row));
    }
    if (tile.is_large) hwy::FlushStream();
  }
}

loops::LaneFunction FindLogit(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return Logit<T>; });
}
loops::LaneFunction FindLogitGrad(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return LogitGrad<T>; });
}

}  // namespace portacl::ops::logit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::logit, LogitLanes, (aclDataType dtype, int64_t target), FindLogit, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::logit, LogitGradLanes, (aclDataType dtype, int64_t target), FindLogitGrad, dtype)
