// SPDX-License-Identifier: Apache-2.0
//
// Steps whose states are pairs (see ctc_loss_lanes.h), for any log-probabilities. Included once per target.

#if defined(PORTACL_CTC_LOSS_PAIRS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_CTC_LOSS_PAIRS_H_
#undef PORTACL_CTC_LOSS_PAIRS_H_
#else
#define PORTACL_CTC_LOSS_PAIRS_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"
#include "simd/convert.h"
#include "simd/evaluate.h"
#include "simd/exp.h"
#include "simd/log.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<double>;
using Vector = hn::VFromD<Lanes>;

// Target for loops whose lanes are independent. EMU128 emulates every lane of every operation, see simd/evaluate.h;
// there these loops process one lane at a time.
#if HWY_TARGET == HWY_EMU128
using LoopLanes = hn::CappedTag<double, 1>;
#else
using LoopLanes = Lanes;
#endif
using LoopVector = hn::VFromD<LoopLanes>;

// Blanks and labels interleaved, in float32, as in log alpha.
template <class D>
using FloatsOf = hn::Repartition<float, D>;

// Without a vector of lane indices: GCC 12 stores Highway 1.0.3's Iota() lane by lane and stalls when it reloads it,
// each time.
template <class D, class V>
HWY_INLINE hn::VFromD<FloatsOf<D>> Demote([[maybe_unused]] D d, V blanks, V labels) {
  const FloatsOf<D> df;
#if HWY_TARGET == HWY_EMU128
  // EMU128's DemoteTo converts an infinity to the largest float.
  double of_blanks[hn::MaxLanes(d)];
  double of_labels[hn::MaxLanes(d)];
  float to[2 * hn::MaxLanes(d)];
  hn::StoreU(blanks, d, of_blanks);
  hn::StoreU(labels, d, of_labels);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    to[2 * i] = static_cast<float>(of_blanks[i]);
    to[2 * i + 1] = static_cast<float>(of_labels[i]);
  }
  return hn::LoadU(df, to);
#else
  const hn::Rebind<float, D> half;
  const hn::Rebind<uint32_t, D> half_words;
  const hn::RebindToUnsigned<D> words;
  const auto of_blanks = hn::PromoteTo(words, hn::BitCast(half_words, hn::DemoteTo(half, blanks)));
  const auto of_labels = hn::PromoteTo(words, hn::BitCast(half_words, hn::DemoteTo(half, labels)));
  return hn::BitCast(df, hn::Or(of_blanks, hn::ShiftLeft<32>(of_labels)));
#endif
}

PORTACL_LANE_INLINE void Promote(hn::VFromD<FloatsOf<Lanes>> in_turns, Vector& blanks, Vector& labels) {
  const Lanes d;
  const FloatsOf<Lanes> df;
  const hn::Half<FloatsOf<Lanes>> half;
  blanks = hn::PromoteTo(d, hn::LowerHalf(half, hn::ConcatEven(df, in_turns, in_turns)));
  labels = hn::PromoteTo(d, hn::LowerHalf(half, hn::ConcatOdd(df, in_turns, in_turns)));
}

// Logarithms up to this magnitude are ordinary: they are reduced without an error visible in float32.
constexpr double kOrdinary = 0x1p40;

// The weight 2^(256 (k - most)) of a term in a sum with the exponent `most`. From three units below, it is too small to
// change the sum, but not zero: an infinity must not become NaN.
PORTACL_LANE_INLINE LoopVector Weight(LoopVector k, LoopVector most) {
  const LoopLanes d;
  const LoopVector units = hn::Max(hn::Sub(k, most), hn::Set(d, -3.0));
  const hn::RebindToUnsigned<LoopLanes> words;
  const LoopVector shifted = hn::MulAdd(units, hn::Set(d, 256.0), hn::Set(d, simd::kWholeShift + 1023));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(words, shifted)));
}

// Brings the mantissa back to [2^-128, 2^128); it was in [2^-512, 2^512).
PORTACL_LANE_INLINE void Normalize(LoopVector& m, LoopVector& k) {
  const LoopLanes d;
  const auto small = hn::Lt(m, hn::Set(d, 0x1p-128));
  const auto large = hn::Ge(m, hn::Set(d, 0x1p128));
  const LoopVector one = hn::Set(d, 1.0);
  m = hn::Mul(m, hn::IfThenElse(small, hn::Set(d, 0x1p256), hn::IfThenElse(large, hn::Set(d, 0x1p-256), one)));
  k = hn::Add(k, hn::IfThenElse(small, hn::Neg(one), hn::IfThenElseZero(large, one)));
}

// e^x for any x. Beyond 2^52, exponents are not exact integers any more, but the result still has the right magnitude.
template <bool kNarrow>
HWY_NOINLINE void UncommonExponential(LoopVector x, LoopVector& m, LoopVector& k) {
  const LoopLanes d;
  const LoopVector infinity = hn::Inf(d);
  const auto is_nan = hn::IsNaN(x);
  const auto is_zero = hn::Eq(x, hn::Neg(infinity));
  const LoopVector limit = hn::Set(d, 1e295);
  const LoopVector finite = hn::Min(hn::Max(hn::IfThenZeroElse(is_nan, x), hn::Neg(limit)), limit);
  const auto ordinary = hn::Le(hn::Abs(finite), hn::Set(d, kOrdinary));
  LoopVector n = hn::Undefined(d);
  const LoopVector fraction = simd::ExpInParts<kNarrow>(d, hn::IfThenElseZero(ordinary, finite), hn::Zero(d), n);
  k = simd::RoundToWhole(d, hn::Mul(n, hn::Set(d, 1.0 / 256)));
  m = hn::Mul(fraction, simd::PowerOfTwo(d, hn::NegMulAdd(k, hn::Set(d, 256.0), n)));
  k = hn::IfThenElse(ordinary, k, hn::Mul(finite, hn::Set(d, simd::kLog2e / 256)));
  m = hn::IfThenElse(is_nan, x, hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::IfThenZeroElse(is_zero, m)));
  k = hn::IfThenElse(is_zero, hn::Set(d, kZeroExponent), k);
}

template <bool kNarrow>
HWY_ATTR bool Exponentials(const double* lp, double* p, double* p_exponent, size_t n) {
  const LoopLanes d;
  bool is_finite = true;
  for (size_t j = 0; j < n; j += hn::Lanes(d)) {
    const LoopVector x = hn::LoadU(d, lp + j);
    LoopVector m = hn::Zero(d);  // GCC does not see that m is set
    LoopVector k = hn::Zero(d);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kOrdinary))))) {
      LoopVector power = hn::Undefined(d);
      const LoopVector fraction = simd::ExpInParts<kNarrow>(d, x, hn::Zero(d), power);
      const LoopVector shift = hn::Set(d, simd::kWholeShift);
      k = hn::Sub(hn::MulAdd(power, hn::Set(d, 1.0 / 256), shift), shift);
      m = hn::Mul(fraction, simd::PowerOfTwo(d, hn::NegMulAdd(k, hn::Set(d, 256.0), power)));
    } else {
      UncommonExponential<kNarrow>(x, m, k);
      is_finite &= hn::AllTrue(d, hn::Lt(x, hn::Inf(d)));
    }
    hn::StoreU(m, d, p + j);
    hn::StoreU(k, d, p_exponent + j);
  }
  return is_finite;
}

template <bool kNarrow>
PORTACL_LANE_INLINE LoopVector LogarithmOf(const double* m, const double* k) {
  const LoopLanes d;
  return simd::LogOfScaled<kNarrow>(d, hn::LoadU(d, m), hn::Mul(hn::LoadU(d, k), hn::Set(d, 256.0)));
}

template <bool kNarrow>
HWY_ATTR void Logarithms(const Row& of_step, size_t begin, size_t end) {
  const LoopLanes d;
  const Row row = of_step;
  for (size_t j = begin; j < end; j += hn::Lanes(d)) {
    hn::StoreU(LogarithmOf<kNarrow>(row.blank() + j, row.blank_exponent() + j), d, row.even() + j);
    hn::StoreU(LogarithmOf<kNarrow>(row.label() + j, row.label_exponent() + j), d, row.odd() + j);
  }
}

HWY_ATTR void LogarithmPairs(const Row& of_step, size_t pairs, float* out) {
  const LoopLanes d;
  const FloatsOf<LoopLanes> df;
  const Row row = of_step;
  for (size_t j = 0; j < pairs; j += hn::Lanes(d)) {
    const LoopVector blank = LogarithmOf<true>(row.blank() + j, row.blank_exponent() + j);
    const LoopVector label = LogarithmOf<true>(row.label() + j, row.label_exponent() + j);
    hn::StoreU(Demote(d, blank, label), df, out + 2 * j);
  }
}

// Sums of states, each a pair, and the exponent of the sum.
HWY_INLINE LoopVector SumOfTwo(LoopVector a, LoopVector ka, LoopVector b, LoopVector kb, LoopVector& most) {
  most = hn::Max(ka, kb);
  return hn::MulAdd(a, Weight(ka, most), hn::Mul(b, Weight(kb, most)));
}

HWY_INLINE LoopVector SumOfThree(LoopVector a, LoopVector ka, LoopVector b, LoopVector kb, LoopVector c, LoopVector kc,
                                 LoopVector& most) {
  most = hn::Max(hn::Max(ka, kb), kc);
  const LoopVector sum = hn::MulAdd(a, Weight(ka, most), hn::Mul(b, Weight(kb, most)));
  return hn::MulAdd(c, Weight(kc, most), sum);
}

// Whether all mantissas are in the range of Normalize().
HWY_INLINE bool AreNormal(LoopVector a, LoopVector b) {
  const LoopLanes d;
  return hn::AllTrue(d,
                     hn::And(hn::Ge(hn::Min(a, b), hn::Set(d, 0x1p-128)), hn::Lt(hn::Max(a, b), hn::Set(d, 0x1p128))));
}

PORTACL_LANE_INLINE void StoreZeros(const Row& row, size_t j) {
  const LoopLanes d;
  hn::StoreU(hn::Zero(d), d, row.blank() + j);
  hn::StoreU(hn::Zero(d), d, row.label() + j);
  hn::StoreU(hn::Set(d, kZeroExponent), d, row.blank_exponent() + j);
  hn::StoreU(hn::Set(d, kZeroExponent), d, row.label_exponent() + j);
}

template <bool kForward>
HWY_ATTR void AdvancePairs(const PairStep& step) {
  const LoopLanes d;
  const size_t lanes = hn::Lanes(d);
  // Copies: the compiler must assume that a store may change the originals.
  const Row from = step.from;
  const Row to = step.to;
  const double* const skip = step.skip;
  const size_t end = step.end;
  const size_t count = step.labels;
  const LoopVector p_blank = hn::Set(d, to.p()[count]);
  const LoopVector k_blank = hn::Set(d, to.p_exponent()[count]);
  const size_t begin = step.begin / lanes * lanes;
  for (size_t j = 0; j < begin; j += lanes) StoreZeros(to, j);
  // Alpha comes from states to the left, beta from those to the right:
  //   blank = (blank + label_beside) * p_blank
  //   label = (label + blank_beside + [may skip] label_skipped) * p
  const ptrdiff_t beside_blank = kForward ? -1 : 0;
  const ptrdiff_t beside_label = kForward ? 0 : 1;
  const ptrdiff_t skipped = kForward ? -1 : 1;
  size_t j = begin;
  for (; j < end; j += lanes) {
    const double* const blanks = from.blank() + j;
    const double* const blank_exponents = from.blank_exponent() + j;
    const double* const labels = from.label() + j;
    const double* const label_exponents = from.label_exponent() + j;
    const LoopVector blank = hn::LoadU(d, blanks);
    const LoopVector k0 = hn::LoadU(d, blank_exponents);
    const LoopVector label = hn::LoadU(d, labels);
    const LoopVector k1 = hn::LoadU(d, label_exponents);
    const LoopVector label_beside = hn::LoadU(d, labels + beside_blank);
    const LoopVector k2 = hn::LoadU(d, label_exponents + beside_blank);
    const LoopVector blank_beside = hn::LoadU(d, blanks + beside_label);
    const LoopVector k3 = hn::LoadU(d, blank_exponents + beside_label);
    const LoopVector may_skip = hn::LoadU(d, skip + j + beside_label);
    const LoopVector label_skipped = hn::And(may_skip, hn::LoadU(d, labels + skipped));
    const LoopVector k4 = hn::LoadU(d, label_exponents + skipped);
    LoopVector m = hn::Undefined(d);
    LoopVector k = hn::Undefined(d);
    LoopVector n = hn::Undefined(d);
    LoopVector kn = hn::Undefined(d);
    const auto alike = hn::And(hn::And(hn::Eq(k0, k1), hn::Eq(k0, k3)), hn::Eq(k0, k4));
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(alike, hn::Eq(k0, k2))))) {
      // All weights are 1 nearly everywhere: adjacent states rarely differ by 2^128.
      m = hn::Add(blank, label_beside);
      n = hn::Add(hn::Add(label, blank_beside), label_skipped);
      k = kn = k0;
    } else {
      m = SumOfTwo(blank, k0, label_beside, k2, k);
      n = SumOfThree(label, k1, blank_beside, k3, label_skipped,
                     hn::IfVecThenElse(may_skip, k4, hn::Set(d, kZeroExponent)), kn);
    }
    m = hn::Mul(m, p_blank);
    k = hn::Add(k, k_blank);
    n = hn::Mul(n, hn::LoadU(d, to.p() + j));
    kn = hn::Add(kn, hn::LoadU(d, to.p_exponent() + j));
    if (HWY_UNLIKELY(!AreNormal(m, n))) {
      Normalize(m, k);
      Normalize(n, kn);
    }
    if (j + lanes > count) {
      // After the last label comes one blank, and then only zeros, even if the blank's probability is infinite or NaN.
      const auto is_blank = hn::FirstN(d, count + 1 - j);
      const auto is_label = hn::FirstN(d, count - j);
      m = hn::IfThenElseZero(is_blank, m);
      k = hn::IfThenElse(is_blank, k, hn::Set(d, kZeroExponent));
      n = hn::IfThenElseZero(is_label, n);
      kn = hn::IfThenElse(is_label, kn, hn::Set(d, kZeroExponent));
    }
    hn::StoreU(m, d, to.blank() + j);
    hn::StoreU(k, d, to.blank_exponent() + j);
    hn::StoreU(n, d, to.label() + j);
    hn::StoreU(kn, d, to.label_exponent() + j);
  }
  const size_t registers = hn::Lanes(Lanes());
  for (; j < (count + registers) / registers * registers; j += lanes) StoreZeros(to, j);
}

// Lanes in which exp(x) times the pair is certainly below the smallest normal float32, and neither infinite nor NaN.
PORTACL_LANE_INLINE auto AreNegligible(Vector x, Vector m, Vector k) {
  const Lanes d;
  const Vector exponent = hn::MulAdd(x, hn::Set(d, simd::kLog2e), hn::Mul(k, hn::Set(d, 256.0)));
  return hn::And(hn::Lt(exponent, hn::Set(d, -258.0)), hn::Lt(m, hn::Inf(d)));
}

// e^(log_alpha + nll - lp) times the pair as an ordinary number. Below the smallest normal float32 the result is 0 if
// kNarrow, otherwise that of float64.
template <bool kNarrow>
struct Posterior {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V log_alpha, V nll, V lp, V m, V k) const {
    const V sum = hn::Add(log_alpha, nll);
    const V x = hn::Sub(sum, lp);
    V rest = hn::Zero(d);
    if constexpr (!kNarrow) {
      // The rounding errors of both additions: x may be far larger than the logarithm of the product, so that they
      // matter.
      const V back = hn::Sub(sum, log_alpha);
      rest = hn::Add(hn::Sub(log_alpha, hn::Sub(sum, back)), hn::Sub(nll, back));
      const V away = hn::Sub(sum, x);
      rest = hn::Add(rest, hn::Sub(hn::Sub(sum, hn::Add(x, away)), hn::Sub(lp, away)));
    }
    const V least = hn::Set(d, -kOrdinary);
    const auto ordinary = hn::And(hn::Le(x, hn::Set(d, kOrdinary)), hn::Lt(m, hn::Inf(d)));
    const bool is_ordinary = hn::AllTrue(d, ordinary);
    // -Inf is the logarithm of most early states; no power of two scales 2^-kOrdinary back into range.
    V y = hn::Max(x, least);
    if (HWY_UNLIKELY(!is_ordinary)) y = hn::IfThenElseZero(ordinary, y);
    if constexpr (!kNarrow) rest = hn::IfThenElseZero(hn::Lt(hn::Abs(x), hn::Set(d, kOrdinary)), rest);
    V n = hn::Undefined(d);
    const V fraction = simd::ExpInParts<kNarrow>(d, y, rest, n);
    n = hn::MulAdd(k, hn::Set(d, 256.0), n);
    V result = hn::Mul(fraction, m);
    if constexpr (kNarrow) {
      n = hn::Min(hn::Max(n, hn::Set(d, -880.0)), hn::Set(d, 1023.0));
      result = hn::Mul(result, simd::PowerOfTwo(d, n));
      result = hn::IfThenZeroElse(hn::Lt(result, hn::Set(d, 0x1p-126)), result);
    } else {
      // Two factors, as the pair may be as small as the power of two is large.
      result = hn::IfThenElseZero(hn::Ge(n, hn::Set(d, -1800.0)), result);
      n = hn::Min(hn::Max(n, hn::Set(d, -1800.0)), hn::Set(d, 1800.0));
      const V half = simd::RoundToWhole(d, hn::Mul(n, hn::Set(d, 0.5)));
      result = hn::Mul(hn::Mul(result, simd::PowerOfTwo(d, half)), simd::PowerOfTwo(d, hn::Sub(n, half)));
    }
    if (HWY_LIKELY(is_ordinary)) return result;
    // e^x is 0, huge or NaN, and so is its product.
    const V huge = hn::IfThenElse(hn::Lt(x, least), hn::Zero(d), hn::IfThenElse(hn::Gt(x, least), hn::Inf(d), x));
    const V factor = hn::IfThenElse(hn::Le(hn::Abs(x), hn::Set(d, kOrdinary)), hn::Set(d, 1.0), huge);
    return hn::IfThenElse(ordinary, result, hn::Mul(factor, m));
  }
};

template <bool kNarrow>
HWY_ATTR PosteriorSums Posteriors(const Row& of_step, const float* log_alpha, size_t pairs, double nll, size_t labels) {
  const Lanes d;
  const Row row = of_step;
  const Posterior<kNarrow> posterior;
  const Vector nll_lanes = hn::Set(d, nll);
  const Vector lp_blank = hn::Set(d, row.lp()[labels]);
  Vector blanks = hn::Zero(d);
  PosteriorSums result = {0, labels, labels};
  for (size_t j = 0; j <= labels; j += hn::Lanes(d)) {
    Vector even = hn::Zero(d);
    Vector odd = hn::Zero(d);
    if (j < pairs) {
      Promote(hn::LoadU(FloatsOf<Lanes>(), log_alpha + 2 * j), even, odd);
    } else {
      even = hn::LoadU(d, row.even() + j);
      odd = hn::LoadU(d, row.odd() + j);
    }
    const Vector blank = hn::LoadU(d, row.blank() + j);
    const Vector k_blank = hn::LoadU(d, row.blank_exponent() + j);
    const Vector label = hn::LoadU(d, row.label() + j);
    const Vector k_label = hn::LoadU(d, row.label_exponent() + j);
    const Vector lp = hn::LoadU(d, row.lp() + j);
    if constexpr (kNarrow) {
      const Vector x_blank = hn::Sub(hn::Add(even, nll_lanes), lp_blank);
      const Vector x_label = hn::Sub(hn::Add(odd, nll_lanes), lp);
      if (hn::AllTrue(d, hn::And(AreNegligible(x_blank, blank, k_blank), AreNegligible(x_label, label, k_label)))) {
        hn::StoreU(hn::Zero(d), d, row.odd() + j);
        continue;
      }
    }
    result.begin = HWY_MIN(result.begin, j);
    result.end = HWY_MIN(j + hn::Lanes(d), labels);
    blanks = hn::Add(blanks, simd::Evaluate(d, posterior, even, nll_lanes, lp_blank, blank, k_blank));
    hn::StoreU(simd::Evaluate(d, posterior, odd, nll_lanes, lp, label, k_label), d, row.odd() + j);
  }
  result.blanks = hn::GetLane(hn::SumOfLanes(d, blanks));
  return result;
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
