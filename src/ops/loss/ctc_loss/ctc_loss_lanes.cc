// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"

#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/ctc_loss/ctc_loss_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/loss/ctc_loss/ctc_loss_number.h"
#include "ops/loss/ctc_loss/ctc_loss_plain.h"
#include "simd/exp.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// EMU128 spells out every lane of every operation; see simd/map.h.
#if HWY_TARGET == HWY_EMU128
#define PORTACL_CTC_INLINE HWY_NOINLINE
#else
#define PORTACL_CTC_INLINE HWY_INLINE
#endif

template <bool kWide>
HWY_ATTR bool Exponentials(const double* lp, double* p, double* p_exponent, size_t n) {
  const Lanes d;
  bool is_finite = true;
  for (size_t j = 0; j < n; j += hn::Lanes(d)) {
    Vector mantissa = hn::Zero(d);
    Vector exponent = hn::Zero(d);
    const Vector x = hn::LoadU(d, lp + j);
    if (!Exponential<kWide>(x, mantissa, exponent)) is_finite &= hn::AllTrue(d, hn::Lt(x, hn::Inf(d)));
    hn::StoreU(mantissa, d, p + j);
    hn::StoreU(exponent, d, p_exponent + j);
  }
  return is_finite;
}

template <bool kWide>
HWY_ATTR void Logarithms(const Row& of_step, size_t begin, size_t end) {
  const Lanes d;
  const Row row = of_step;
  for (size_t j = begin; j < end; j += hn::Lanes(d)) {
    hn::StoreU(Logarithm<kWide>(hn::LoadU(d, row.blank() + j), hn::LoadU(d, row.blank_exponent() + j)), d,
               row.even() + j);
    hn::StoreU(Logarithm<kWide>(hn::LoadU(d, row.label() + j), hn::LoadU(d, row.label_exponent() + j)), d,
               row.odd() + j);
  }
}

HWY_ATTR void LogarithmPairs(const Row& of_step, size_t pairs, float* out) {
  const Lanes d;
  const Row row = of_step;
  for (size_t j = 0; j < pairs; j += hn::Lanes(d)) {
    const Vector blank = Logarithm<false>(hn::LoadU(d, row.blank() + j), hn::LoadU(d, row.blank_exponent() + j));
    const Vector label = Logarithm<false>(hn::LoadU(d, row.label() + j), hn::LoadU(d, row.label_exponent() + j));
    hn::StoreU(InTurns(Demote(blank, label)), FloatLanes(), out + 2 * j);
  }
}

// Sums of states, each a pair, and the exponent at which they were added.
PORTACL_CTC_INLINE Vector SumOfTwo(Vector a, Vector ka, Vector b, Vector kb, Vector& most) {
  most = hn::Max(ka, kb);
  return hn::MulAdd(a, Weight(ka, most), hn::Mul(b, Weight(kb, most)));
}

PORTACL_CTC_INLINE Vector SumOfThree(Vector a, Vector ka, Vector b, Vector kb, Vector c, Vector kc, Vector& most) {
  most = hn::Max(hn::Max(ka, kb), kc);
  const Vector sum = hn::MulAdd(a, Weight(ka, most), hn::Mul(b, Weight(kb, most)));
  return hn::MulAdd(c, Weight(kc, most), sum);
}

// Whether all mantissas are as Normalize() leaves them.
HWY_INLINE bool AreNormal(Vector a, Vector b) {
  const Lanes d;
  return hn::AllTrue(d,
                     hn::And(hn::Ge(hn::Min(a, b), hn::Set(d, 0x1p-128)), hn::Lt(hn::Max(a, b), hn::Set(d, 0x1p128))));
}

HWY_INLINE void StoreZeros(const Row& row, size_t j) {
  const Lanes d;
  hn::StoreU(hn::Zero(d), d, row.blank() + j);
  hn::StoreU(hn::Zero(d), d, row.label() + j);
  hn::StoreU(hn::Set(d, kZeroExponent), d, row.blank_exponent() + j);
  hn::StoreU(hn::Set(d, kZeroExponent), d, row.label_exponent() + j);
}

template <bool kForward>
HWY_ATTR void Step(const StepInput& input) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  // Copies: what a store writes may be anything, as far as the compiler knows.
  const Row from = input.from;
  const Row to = input.to;
  const double* const skip = input.skip;
  const size_t end = input.end;
  const size_t count = input.labels;
  const Vector p_blank = hn::Set(d, to.p()[count]);
  const Vector k_blank = hn::Set(d, to.p_exponent()[count]);
  const size_t begin = input.begin / lanes * lanes;
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
    const Vector blank = hn::LoadU(d, blanks);
    const Vector k0 = hn::LoadU(d, blank_exponents);
    const Vector label = hn::LoadU(d, labels);
    const Vector k1 = hn::LoadU(d, label_exponents);
    const Vector label_beside = hn::LoadU(d, labels + beside_blank);
    const Vector k2 = hn::LoadU(d, label_exponents + beside_blank);
    const Vector blank_beside = hn::LoadU(d, blanks + beside_label);
    const Vector k3 = hn::LoadU(d, blank_exponents + beside_label);
    const Vector may_skip = hn::LoadU(d, skip + j + beside_label);
    const Vector label_skipped = hn::And(may_skip, hn::LoadU(d, labels + skipped));
    const Vector k4 = hn::LoadU(d, label_exponents + skipped);
    Vector m = hn::Undefined(d);
    Vector k = hn::Undefined(d);
    Vector n = hn::Undefined(d);
    Vector kn = hn::Undefined(d);
    const auto alike = hn::And(hn::And(hn::Eq(k0, k1), hn::Eq(k0, k3)), hn::Eq(k0, k4));
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(alike, hn::Eq(k0, k2))))) {
      // Weights are 1 nearly everywhere: neighbours are rarely 2^128 apart.
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
      // Behind the last label there is one blank, and then nothing, whatever the blank's probability makes of it.
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
  for (; j <= count; j += lanes) StoreZeros(to, j);
}

// Lanes in which exp(x) times the pair is surely less than the smallest normal float32, and no infinity or NaN.
HWY_INLINE auto AreNegligible(Vector x, Vector m, Vector k) {
  const Lanes d;
  const Vector exponent = hn::MulAdd(x, hn::Set(d, kLog2e), hn::Mul(k, hn::Set(d, 256.0)));
  return hn::And(hn::Lt(exponent, hn::Set(d, -258.0)), hn::Lt(m, hn::Inf(d)));
}

template <bool kWide>
HWY_ATTR PosteriorSums Posteriors(const Row& of_step, const float* log_alpha, size_t pairs, double nll, size_t labels) {
  const Lanes d;
  const Row row = of_step;
  const Vector nll_lanes = hn::Set(d, nll);
  const Vector lp_blank = hn::Set(d, row.lp()[labels]);
  Vector blanks = hn::Zero(d);
  PosteriorSums result = {0, labels, labels};
  for (size_t j = 0; j <= labels; j += hn::Lanes(d)) {
    Vector even = hn::Zero(d);
    Vector odd = hn::Zero(d);
    if (j < pairs) {
      Promote(hn::LoadU(FloatLanes(), log_alpha + 2 * j), even, odd);
    } else {
      even = hn::LoadU(d, row.even() + j);
      odd = hn::LoadU(d, row.odd() + j);
    }
    const Vector blank = hn::LoadU(d, row.blank() + j);
    const Vector k_blank = hn::LoadU(d, row.blank_exponent() + j);
    const Vector label = hn::LoadU(d, row.label() + j);
    const Vector k_label = hn::LoadU(d, row.label_exponent() + j);
    const Vector lp = hn::LoadU(d, row.lp() + j);
    if constexpr (!kWide) {
      const Vector x_blank = hn::Sub(hn::Add(even, nll_lanes), lp_blank);
      const Vector x_label = hn::Sub(hn::Add(odd, nll_lanes), lp);
      if (hn::AllTrue(d, hn::And(AreNegligible(x_blank, blank, k_blank), AreNegligible(x_label, label, k_label)))) {
        hn::StoreU(hn::Zero(d), d, row.odd() + j);
        continue;
      }
    }
    result.begin = HWY_MIN(result.begin, j);
    result.end = HWY_MIN(j + hn::Lanes(d), labels);
    blanks = hn::Add(blanks, Posterior<kWide>(even, nll_lanes, lp_blank, blank, k_blank));
    hn::StoreU(Posterior<kWide>(odd, nll_lanes, lp, label, k_label), d, row.odd() + j);
  }
  result.blanks = hn::GetLane(hn::SumOfLanes(d, blanks));
  return result;
}

// Any log-probability; for the few that the polynomial cannot have. NaN for -Inf, which is the gradient's rule.
template <class D, class V>
HWY_NOINLINE V UncommonExponentials(D d, V x) {
  const V infinity = hn::Inf(d);
  // Beyond the polynomial's range by squaring, up to infinity.
  const V half =
      simd::Exp<false>(d, hn::Mul(hn::Min(hn::Max(x, hn::Set(d, 0.0f)), hn::Set(d, 170.0f)), hn::Set(d, 0.5f)));
  const V below = hn::IfThenElseZero(hn::Ge(x, hn::Set(d, kLeastExponentiated)), simd::Exp<false>(d, x));
  V result = hn::IfThenElse(hn::Gt(x, hn::Set(d, kMostExponentiated)), hn::Mul(half, half), below);
  result = hn::IfThenElse(hn::Eq(x, infinity), infinity, result);
  // Highway's NaN(d) has bits in its lower half, see simd::NarrowResults.
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Neg(infinity))), nan, result);
}

struct ScaledExponential {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto ordinary =
        hn::And(hn::Le(x, hn::Set(d, kMostExponentiated)), hn::Ge(x, hn::Set(d, std::numeric_limits<float>::lowest())));
    V result;
    if (HWY_LIKELY(hn::AllTrue(d, ordinary))) {
      // What would be a subnormal counts as 0.
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
  simd::Map<T>(ScaledExponential{static_cast<float>(grad)}, n, false, reinterpret_cast<E*>(out),
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
      Vector power = hn::Undefined(d);
      const Vector fraction = ReducedExponential<true>(x, hn::Zero(d), power);
      simd::StoreTail(d, hn::Mul(hn::Mul(fraction, PowerOfTwo(power)), hn::Set(d, grad)), to + i, count);
    } else {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      for (size_t lane = i; lane < i + count; ++lane) {
        to[lane] = (from[lane] == -kInfinity ? std::numeric_limits<double>::quiet_NaN() : std::exp(from[lane])) * grad;
      }
    }
  }
}

template <bool kWide>
const Kernels* Table() {
  static const Kernels kernels = {
      hn::Lanes(Lanes()),
      {PlainExponentials, PlainAdvance<true>, PlainAdvance<false>, PlainLogarithms, PlainGradients},
      Exponentials<kWide>,
      Step<true>,
      Step<false>,
      Logarithms<kWide>,
      LogarithmPairs,
      Posteriors<kWide>};
  return &kernels;
}

#undef PORTACL_CTC_INLINE

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::ctc_loss {

const Kernels& KernelsFor(bool wide, int64_t target) {
  return wide ? *PORTACL_FOR_TARGET(Table<true>, target)() : *PORTACL_FOR_TARGET(Table<false>, target)();
}

ExponentialRow ExponentialRowFor(aclDataType dtype, int64_t target) {
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(ExponentialsOfRow<float>, target);
    case ACL_FLOAT16:
      return PORTACL_FOR_TARGET(ExponentialsOfRow<hwy::float16_t>, target);
    case ACL_BF16:
      return PORTACL_FOR_TARGET(ExponentialsOfRow<hwy::bfloat16_t>, target);
    default:
      return PORTACL_FOR_TARGET(ExponentialsOfDoubleRow, target);
  }
}

}  // namespace portacl::ops::ctc_loss
#endif  // HWY_ONCE
