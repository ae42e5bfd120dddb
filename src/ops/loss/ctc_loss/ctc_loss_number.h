// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of probabilities whose exponents have no limit (see ctc_loss_lanes.h), in float64 lanes. Included once per
// target.
//
// Powers of two and whole numbers are made by adding 1.5 * 2^52, after which they stand in the last bits.

#if defined(PORTACL_CTC_LOSS_NUMBER_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_CTC_LOSS_NUMBER_H_
#undef PORTACL_CTC_LOSS_NUMBER_H_
#else
#define PORTACL_CTC_LOSS_NUMBER_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<double>;
using Vector = hn::VFromD<Lanes>;

// A register of blanks and one of labels in float32: the blanks first, or the two in turns, as in log alpha.
using FloatLanes = hn::Repartition<float, Lanes>;
using FloatVector = hn::VFromD<FloatLanes>;

HWY_INLINE FloatVector Demote(Vector blanks, Vector labels) {
  const hn::Half<FloatLanes> half;
#if HWY_TARGET == HWY_EMU128
  // There DemoteTo makes the largest float of an infinity.
  const Lanes d;
  double from[4] = {};
  float to[4] = {};
  hn::StoreU(blanks, d, from);
  hn::StoreU(labels, d, from + hn::Lanes(d));
  for (size_t i = 0; i < 2 * hn::Lanes(d); ++i) to[i] = static_cast<float>(from[i]);
  return hn::LoadU(FloatLanes(), to);
#endif
  return hn::Combine(FloatLanes(), hn::DemoteTo(half, labels), hn::DemoteTo(half, blanks));
}

HWY_INLINE FloatVector InTurns(FloatVector blanks_first) {
  const FloatLanes df;
  const hn::RebindToUnsigned<FloatLanes> du;
  const auto place = hn::Iota(du, 0);
  const auto half = hn::Set(du, static_cast<uint32_t>(hn::Lanes(df) / 2));
  const auto from = hn::Add(hn::ShiftRight<1>(place), hn::Mul(hn::And(place, hn::Set(du, 1)), half));
  return hn::TableLookupLanes(blanks_first, hn::IndicesFromVec(df, from));
}

HWY_INLINE void Promote(FloatVector in_turns, Vector& blanks, Vector& labels) {
  const Lanes d;
  const FloatLanes df;
  const hn::Half<FloatLanes> half;
  const hn::RebindToUnsigned<FloatLanes> du;
  const auto place = hn::Iota(du, 0);
  const auto all = hn::Set(du, static_cast<uint32_t>(hn::Lanes(df)));
  const auto doubled = hn::Add(place, place);
  const auto odd = hn::Sub(hn::Add(doubled, hn::Set(du, 1)), all);
  const auto from = hn::IfThenElse(hn::Lt(doubled, all), doubled, odd);
  const FloatVector blanks_first = hn::TableLookupLanes(in_turns, hn::IndicesFromVec(df, from));
  blanks = hn::PromoteTo(d, hn::LowerHalf(half, blanks_first));
  labels = hn::PromoteTo(d, hn::UpperHalf(half, blanks_first));
}

constexpr double kMagic = 0x1.8p52;
constexpr double kLog2e = 0x1.71547652b82fep0;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// ln 2 in two parts, the first so short that its product with a whole number below 2^20 is exact.
constexpr double kLn2High = 0x1.62e42fefp-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;
// Logarithms up to here are ordinary: reduced without a loss that float32 could show.
constexpr double kOrdinary = 0x1p40;
// simd::Exp's range.
constexpr float kLeastExponentiated = -0x1.5d589ep6f;
constexpr float kMostExponentiated = 88.0f;

HWY_INLINE Vector RoundToWhole(Vector x) {
  const Lanes d;
  return hn::Sub(hn::Add(x, hn::Set(d, kMagic)), hn::Set(d, kMagic));
}

/// 2^(n + k) for whole n and k whose sum lies in [-1022, 1023]; `raise` is kMagic + 1023 + k.
HWY_INLINE Vector RaisedTwo(Vector n, Vector raise) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(words, hn::Add(n, raise))));
}

/// 2^n for whole n in [-1022, 1023].
HWY_INLINE Vector PowerOfTwo(Vector n) { return RaisedTwo(n, hn::Set(Lanes(), kMagic + 1023)); }

/// What 2^(256 (k - most)) is to a sum at the exponent `most`. From three units on it is something that the sum loses,
/// but no zero: an infinity must not become NaN.
HWY_INLINE Vector Weight(Vector k, Vector most) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const Vector units = hn::Max(hn::Sub(k, most), hn::Set(d, -3.0));
  return hn::BitCast(
      d, hn::ShiftLeft<52>(hn::BitCast(words, hn::MulAdd(units, hn::Set(d, 256.0), hn::Set(d, kMagic + 1023)))));
}

/// Brings the mantissa back to [2^-128, 2^128); it was in [2^-512, 2^512).
HWY_INLINE void Normalize(Vector& m, Vector& k) {
  const Lanes d;
  const auto small = hn::Lt(m, hn::Set(d, 0x1p-128));
  const auto large = hn::Ge(m, hn::Set(d, 0x1p128));
  const Vector one = hn::Set(d, 1.0);
  m = hn::Mul(m, hn::IfThenElse(small, hn::Set(d, 0x1p256), hn::IfThenElse(large, hn::Set(d, 0x1p-256), one)));
  k = hn::Add(k, hn::IfThenElse(small, hn::Neg(one), hn::IfThenElseZero(large, one)));
}

/// e^r for |r| <= ln 2 / 2; relative error 5.2e-11, or 1e-16 when wide.
template <bool kWide>
HWY_INLINE Vector Polynomial(Vector r) {
  const Lanes d;
  Vector p;
  if constexpr (kWide) {
    p = hn::MulAdd(hn::Set(d, 1.0 / 6227020800), r, hn::Set(d, 1.0 / 479001600));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 39916800));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 3628800));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 362880));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 40320));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 5040));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 720));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 120));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 24));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0 / 6));
    p = hn::MulAdd(p, r, hn::Set(d, 0.5));
  } else {
    // Minimax in relative error, by least squares with weights that grow where the error is largest. Few steps depend
    // on each other.
    const Vector r2 = hn::Mul(r, r);
    const Vector p23 = hn::MulAdd(hn::Set(d, 0x1.555554433c11ap-3), r, hn::Set(d, 0x1.0000003a23859p-1));
    const Vector p45 = hn::MulAdd(hn::Set(d, 0x1.111270b2c61edp-7), r, hn::Set(d, 0x1.55548dc47d56bp-5));
    const Vector p67 = hn::MulAdd(hn::Set(d, 0x1.9f0896b28e30ep-13), r, hn::Set(d, 0x1.6d8d06e981fa1p-10));
    p = hn::MulAdd(hn::MulAdd(p67, r2, p45), r2, p23);
    return hn::MulAdd(p, r2, hn::Add(r, hn::Set(d, 1.0)));
  }
  const Vector one = hn::Set(d, 1.0);
  return hn::MulAdd(hn::MulAdd(p, r, one), r, one);
}

/// f and the whole number n of e^(x + rest) = f 2^n for |x| <= kOrdinary; `rest` is what the rounding of x left.
template <bool kWide>
HWY_INLINE Vector ReducedExponential(Vector x, Vector rest, Vector& n) {
  const Lanes d;
  const Vector magic = hn::Set(d, kMagic);
  n = hn::Sub(hn::MulAdd(x, hn::Set(d, kLog2e), magic), magic);
  if constexpr (kWide) {
    const Vector r = hn::NegMulAdd(n, hn::Set(d, kLn2High), x);
    return Polynomial<true>(hn::NegMulAdd(n, hn::Set(d, kLn2Low), hn::Add(r, rest)));
  } else {
    return Polynomial<false>(hn::NegMulAdd(n, hn::Set(d, kLn2), x));
  }
}

/// As a pair; any x. Beyond 2^52 whole exponents are no longer told apart, but such a number still has its size.
template <bool kWide>
HWY_NOINLINE void UncommonExponential(Vector x, Vector& m, Vector& k) {
  const Lanes d;
  const Vector infinity = hn::Inf(d);
  const auto is_nan = hn::IsNaN(x);
  const auto is_zero = hn::Eq(x, hn::Neg(infinity));
  const Vector limit = hn::Set(d, 1e295);
  const Vector finite = hn::Min(hn::Max(hn::IfThenZeroElse(is_nan, x), hn::Neg(limit)), limit);
  const auto ordinary = hn::Le(hn::Abs(finite), hn::Set(d, kOrdinary));
  Vector n = hn::Undefined(d);
  const Vector fraction = ReducedExponential<kWide>(hn::IfThenElseZero(ordinary, finite), hn::Zero(d), n);
  k = RoundToWhole(hn::Mul(n, hn::Set(d, 1.0 / 256)));
  m = hn::Mul(fraction, PowerOfTwo(hn::NegMulAdd(k, hn::Set(d, 256.0), n)));
  k = hn::IfThenElse(ordinary, k, hn::Mul(finite, hn::Set(d, kLog2e / 256)));
  m = hn::IfThenElse(is_nan, x, hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::IfThenZeroElse(is_zero, m)));
  k = hn::IfThenElse(is_zero, hn::Set(d, kZeroExponent), k);
}

/// As a pair; returns false where that took longer.
template <bool kWide>
HWY_INLINE bool Exponential(Vector x, Vector& m, Vector& k) {
  const Lanes d;
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kOrdinary))))) {
    UncommonExponential<kWide>(x, m, k);
    return false;
  }
  Vector n = hn::Undefined(d);
  const Vector fraction = ReducedExponential<kWide>(x, hn::Zero(d), n);
  const Vector magic = hn::Set(d, kMagic);
  k = hn::Sub(hn::MulAdd(n, hn::Set(d, 1.0 / 256), magic), magic);
  m = hn::Mul(fraction, PowerOfTwo(hn::NegMulAdd(k, hn::Set(d, 256.0), n)));
  return true;
}

/// ln m + 256 k ln 2; relative error 3e-9, or 3e-16 when wide, of the larger term.
template <bool kWide>
HWY_INLINE Vector Logarithm(Vector m, Vector k) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const Vector one = hn::Set(d, 1.0);
  // m = 2^e f with f in [sqrt(1/2), sqrt 2): the difference of the bits to those of sqrt(1/2) begins with e.
  const auto bits = hn::BitCast(words, m);
  const auto root = hn::Set(words, uint64_t{0x3FE6A09E667F3BCD});
  const auto from_root = hn::Sub(bits, root);
  // 2^52 + 1023 + e, from which nothing but e stays.
  const auto biased =
      hn::And(hn::Add(hn::ShiftRight<52>(from_root), hn::Set(words, uint64_t{1023})), hn::Set(words, uint64_t{4095}));
  const Vector shifted = hn::BitCast(d, hn::Or(biased, hn::BitCast(words, hn::Set(d, 0x1p52))));
  const Vector e = hn::Sub(shifted, hn::Set(d, 0x1p52 + 1023));
  const Vector f = hn::BitCast(d, hn::Add(hn::And(from_root, hn::Set(words, (uint64_t{1} << 52) - 1)), root));
  // ln f = 2 artanh s
  const Vector s = hn::Div(hn::Sub(f, one), hn::Add(f, one));
  const Vector z = hn::Mul(s, s);
  Vector p;
  if constexpr (kWide) {
    p = hn::MulAdd(hn::Set(d, 2.0 / 23), z, hn::Set(d, 2.0 / 21));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 19));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 17));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 15));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 13));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 11));
    p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 9));
  } else {
    p = hn::Set(d, 2.0 / 9);
  }
  p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 7));
  p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 5));
  p = hn::MulAdd(p, z, hn::Set(d, 2.0 / 3));
  p = hn::MulAdd(hn::Mul(p, z), s, hn::Add(s, s));
  const Vector n = hn::MulAdd(k, hn::Set(d, 256.0), e);
  Vector result;
  if constexpr (kWide) {
    result = hn::MulAdd(n, hn::Set(d, kLn2High), hn::MulAdd(n, hn::Set(d, kLn2Low), p));
  } else {
    result = hn::MulAdd(n, hn::Set(d, kLn2), p);
  }
  result = hn::IfThenElse(hn::Eq(m, hn::Zero(d)), hn::Neg(hn::Inf(d)), result);
  // Infinities and NaN are their own logarithms.
  return hn::IfThenElse(hn::Lt(m, hn::Inf(d)), result, m);
}

/// e^(log_alpha + nll - lp) times the pair as an ordinary number. Below the smallest normal float32 that is 0, and when
/// wide what float64 makes of it.
template <bool kWide>
HWY_INLINE Vector Posterior(Vector log_alpha, Vector nll, Vector lp, Vector m, Vector k) {
  const Lanes d;
  const Vector sum = hn::Add(log_alpha, nll);
  const Vector x = hn::Sub(sum, lp);
  Vector rest = hn::Zero(d);
  if constexpr (kWide) {
    // What the two roundings left: x may be far larger than what it is worth.
    const Vector back = hn::Sub(sum, log_alpha);
    rest = hn::Add(hn::Sub(log_alpha, hn::Sub(sum, back)), hn::Sub(nll, back));
    const Vector away = hn::Sub(sum, x);
    rest = hn::Add(rest, hn::Sub(hn::Sub(sum, hn::Add(x, away)), hn::Sub(lp, away)));
  }
  const Vector least = hn::Set(d, -kOrdinary);
  const auto ordinary = hn::And(hn::Le(x, hn::Set(d, kOrdinary)), hn::Lt(m, hn::Inf(d)));
  const bool is_ordinary = hn::AllTrue(d, ordinary);
  // -Inf is the logarithm of most states early on; no power of two brings 2^-kOrdinary back.
  Vector y = hn::Max(x, least);
  if (HWY_UNLIKELY(!is_ordinary)) y = hn::IfThenElseZero(ordinary, y);
  if constexpr (kWide) rest = hn::IfThenElseZero(hn::Lt(hn::Abs(x), hn::Set(d, kOrdinary)), rest);
  Vector n = hn::Undefined(d);
  const Vector fraction = ReducedExponential<kWide>(y, rest, n);
  n = hn::MulAdd(k, hn::Set(d, 256.0), n);
  Vector result = hn::Mul(fraction, m);
  if constexpr (kWide) {
    // Two factors, as the pair may be as small as the power is large.
    result = hn::IfThenElseZero(hn::Ge(n, hn::Set(d, -1800.0)), result);
    n = hn::Min(hn::Max(n, hn::Set(d, -1800.0)), hn::Set(d, 1800.0));
    const Vector half = RoundToWhole(hn::Mul(n, hn::Set(d, 0.5)));
    result = hn::Mul(hn::Mul(result, PowerOfTwo(half)), PowerOfTwo(hn::Sub(n, half)));
  } else {
    n = hn::Min(hn::Max(n, hn::Set(d, -880.0)), hn::Set(d, 1023.0));
    result = hn::Mul(result, PowerOfTwo(n));
    result = hn::IfThenZeroElse(hn::Lt(result, hn::Set(d, 0x1p-126)), result);
  }
  if (HWY_LIKELY(is_ordinary)) return result;
  // e^x is 0, huge or NaN, and so is its product.
  const Vector huge = hn::IfThenElse(hn::Lt(x, least), hn::Zero(d), hn::IfThenElse(hn::Gt(x, least), hn::Inf(d), x));
  const Vector factor = hn::IfThenElse(hn::Le(hn::Abs(x), hn::Set(d, kOrdinary)), hn::Set(d, 1.0), huge);
  return hn::IfThenElse(ordinary, result, hn::Mul(factor, m));
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
