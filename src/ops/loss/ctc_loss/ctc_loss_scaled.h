// SPDX-License-Identifier: Apache-2.0
//
// Scaled steps (see ctc_loss_lanes.h): log-probabilities in the scaled range. Included once per target.

#if defined(PORTACL_CTC_LOSS_SCALED_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_CTC_LOSS_SCALED_H_
#undef PORTACL_CTC_LOSS_SCALED_H_
#else
#define PORTACL_CTC_LOSS_SCALED_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "hwy/highway.h"
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"
#include "ops/loss/ctc_loss/ctc_loss_pairs.h"
#include "simd/evaluate.h"
#include "simd/exp.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using FloatLanes = FloatsOf<Lanes>;
using FloatVector = hn::VFromD<FloatLanes>;

constexpr double kMiddleOfScaled = (kLeastScaled + kGreatestScaled) / 2;
constexpr double kReachOfScaled = (kGreatestScaled - kLeastScaled) / 2;

// When a tile has been rescaled, its largest state lies in [2^448, 2^512), and all that are not 0 are at least 2^-250.
// Until the next time they gain, or lose, some more. Nothing overflows or becomes subnormal, not even what comes from a
// tile whose exponent is kMostGap larger or smaller: 512 + 32 + 448 < 1023, -250 - 128 - 448 > -1022.
constexpr int32_t kGreatestBits = 512;
constexpr double kGreatestOfTile = 0x1p512;
constexpr double kLeastOfTile = 0x1p-250;
constexpr double kMostDrop = 128;
constexpr double kMostGain = 32;
constexpr int32_t kMostGap = 7 * kTileBits;
// Three states, times e^0.5.
constexpr double kGainOfStep = 3;
// Of a tile in which no state is reached.
constexpr int32_t kNoExponent = -(1 << 30);

// A state of beta, without its mantissa, times one of alpha: from so much on, less the gap, it is left to a step
// of pairs, so that no sum of products with mantissas divided by a probability overflows: 250 + 512 + 32 + 64 + 127 <
// 1023.
constexpr double kMostProductBits = 250;
// Nor may the least of all that count be less than a power of two: -126 - 512 - 370 > -1022.
constexpr double kMostSpread = 370;

HWY_ATTR bool ScaledExponentials(const float* lp, double* p, size_t n, double* drop) {
  const LoopLanes d;
  const hn::Rebind<float, LoopLanes> halves;
  LoopVector least = hn::Zero(d);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const LoopVector x = hn::PromoteTo(d, hn::LoadU(halves, lp + i));
    const LoopVector from_middle = hn::Sub(x, hn::Set(d, kMiddleOfScaled));
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Le(hn::Abs(from_middle), hn::Set(d, kReachOfScaled))))) return false;
    least = hn::Min(least, x);
    hn::StoreU(simd::Exp<true>(d, x), d, p + i);
  }
  *drop = -simd::kLog2e * hn::GetLane(hn::MinOfLanes(d, least));
  return true;
}

// The first tile and the last have no neighbours, but are asked for their exponents.
HWY_INLINE void SetOuterExponents(const ScaledStates& states, size_t begin, size_t end) {
  if (begin == 0) states.exponent[-1] = states.exponent[0];
  states.exponent[end] = states.exponent[end - 1];
}

// By how much the exponent of a tile is larger than that of another to which its states come before the next rescaling:
// they move by a label a step.
HWY_INLINE int32_t LargestGap(bool forward, const int32_t* exponents, size_t begin, size_t end) {
  const size_t far = static_cast<size_t>(kMostGain / kGainOfStep) / hn::Lanes(Lanes()) + 1;
  int32_t most = 0;
  for (size_t tile = begin; tile < end; ++tile) {
    const int32_t exponent = exponents[tile];
    for (size_t other = tile + 1; other < HWY_MIN(tile + 1 + far, end); ++other)
      most = HWY_MAX(most, forward ? exponent - exponents[other] : exponents[other] - exponent);
  }
  return most;
}

// 2^bits for -1022 <= bits <= 1023.
HWY_INLINE double PowerOf(int32_t bits) { return std::bit_cast<double>(static_cast<int64_t>(1023 + bits) << 52); }

// Brings a tile's largest state back to where it belongs. False when others would not be where they belong.
HWY_NOINLINE bool RescaleTile(double* blanks, double* labels, int32_t& exponent) {
  const Lanes d;
  const Vector infinity = hn::Inf(d);
  const Vector blank = hn::LoadU(d, blanks);
  const Vector label = hn::LoadU(d, labels);
  const double most = hn::GetLane(hn::MaxOfLanes(d, hn::Max(blank, label)));
  const auto bits = static_cast<int32_t>(std::bit_cast<int64_t>(most) >> 52) - 1023;
  const int32_t raise = ((bits - kGreatestBits) >> kTileShift) * kTileBits + kTileBits;
  const double factor = PowerOf(-raise);
  const Vector of_blanks = hn::IfThenElse(hn::Eq(blank, hn::Zero(d)), infinity, blank);
  const Vector of_labels = hn::IfThenElse(hn::Eq(label, hn::Zero(d)), infinity, label);
  if (hn::GetLane(hn::MinOfLanes(d, hn::Min(of_blanks, of_labels))) < kLeastOfTile / factor) return false;
  hn::StoreU(hn::Mul(blank, hn::Set(d, factor)), d, blanks);
  hn::StoreU(hn::Mul(label, hn::Set(d, factor)), d, labels);
  exponent += raise;
  return true;
}

// All tiles. False when they cannot be where they belong; no value has changed.
HWY_NOINLINE bool Rescale(bool forward, ScaledStep& step) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  const ScaledStates states = step.states;
  const size_t tiles = (step.labels + lanes) / lanes;
  // Those in which states are reached.
  size_t begin = tiles;
  size_t end = 0;
  for (size_t tile = 0; tile < tiles; ++tile) {
    double* const blanks = states.blank + tile * lanes;
    double* const labels = states.label + tile * lanes;
    const Vector blank = hn::LoadU(d, blanks);
    const Vector label = hn::LoadU(d, labels);
    const Vector most = hn::Max(blank, label);
    if (hn::AllTrue(d, hn::Eq(most, hn::Zero(d)))) {
      states.exponent[tile] = kNoExponent;
      continue;
    }
    begin = HWY_MIN(begin, tile);
    end = tile + 1;
    const bool is_small = hn::AllTrue(d, hn::Lt(most, hn::Set(d, kGreatestOfTile * 0x1p-64)));
    const auto are_within =
        hn::And(hn::Ge(hn::Min(blank, label), hn::Set(d, kLeastOfTile)), hn::Lt(most, hn::Set(d, kGreatestOfTile)));
    if (HWY_LIKELY(hn::AllTrue(d, are_within) && !is_small)) continue;
    if (!RescaleTile(blanks, labels, states.exponent[tile])) return false;
  }
  SetOuterExponents(states, 0, tiles);
  step.gap = LargestGap(forward, states.exponent, begin, end);
  return step.gap <= kMostGap;
}

HWY_INLINE bool RescaleWhereNeeded(bool forward, ScaledStep& step) {
  step.drop += step.drop_of_step;
  step.gain += kGainOfStep;
  if (HWY_LIKELY(step.drop <= kMostDrop && step.gain <= kMostGain)) return true;
  step.drop = step.drop_of_step;
  step.gain = kGainOfStep;
  return Rescale(forward, step);
}

PORTACL_LANE_INLINE Vector ElementsAt(const double* from, const int32_t* places) {
  const Lanes d;
#if HWY_TARGET == HWY_EMU128
  double elements[hn::MaxLanes(d)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) elements[i] = from[places[i]];
  return hn::LoadU(d, elements);
#else
  const hn::RebindToSigned<Lanes> wide;
  const hn::Rebind<int32_t, Lanes> narrow;
  return hn::GatherIndex(d, from, hn::PromoteTo(wide, hn::LoadU(narrow, places)));
#endif
}

template <bool kForward>
HWY_ATTR bool AdvanceScaled(ScaledStep& step) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  if (!RescaleWhereNeeded(kForward, step)) return false;
  // Copies: what a store writes may be anything, as far as the compiler knows.
  const ScaledStates from = step.states;
  const ScaledStates to = step.spare;
  const double* const skip = step.skip;
  const double* const p_of_class = step.p_of_class;
  const int32_t* const class_of = step.class_of_label;
  const size_t end = step.end;
  const size_t begin = step.begin / lanes * lanes;
  const Vector p_blank = hn::Set(d, p_of_class[0]);
  size_t tile = begin / lanes;
  for (size_t j = begin; j < end; j += lanes, ++tile) {
    // As in AdvancePairs().
    const Vector blank = hn::LoadU(d, from.blank + j);
    const Vector label = hn::LoadU(d, from.label + j);
    Vector label_beside = hn::LoadU(d, from.label + (kForward ? j - 1 : j + 1));
    Vector blank_beside = kForward ? blank : hn::LoadU(d, from.blank + j + 1);
    int32_t exponent = from.exponent[tile];
    const int32_t beside = from.exponent[kForward ? tile - 1 : tile + 1];
    if (HWY_UNLIKELY(exponent != beside)) {
      if (hn::AllTrue(d, hn::Eq(hn::Max(blank, label), hn::Zero(d)))) {
        exponent = beside;
      } else {
        // States beside the tile are brought to its exponent.
        const auto are_beside = kForward ? hn::FirstN(d, 1) : hn::Not(hn::FirstN(d, lanes - 1));
        const int32_t gap = beside - exponent;
        const Vector most = kForward ? label_beside : hn::Max(blank_beside, label_beside);
        if (HWY_UNLIKELY(gap > kMostGap || gap < -kMostGap)) {
          if (!hn::AllTrue(d, hn::Eq(hn::IfThenElseZero(are_beside, most), hn::Zero(d)))) return false;
        } else {
          const Vector factor = hn::IfThenElse(are_beside, hn::Set(d, PowerOf(gap)), hn::Set(d, 1.0));
          label_beside = hn::Mul(label_beside, factor);
          if (!kForward) blank_beside = hn::Mul(blank_beside, factor);
        }
      }
    }
    const Vector may_skip = hn::LoadU(d, skip + (kForward ? j : j + 1));
    const Vector m = hn::Mul(hn::Add(blank, kForward ? label_beside : label), p_blank);
    const Vector sum = hn::Add(hn::Add(label, blank_beside), hn::And(may_skip, label_beside));
    const Vector n = hn::Mul(sum, ElementsAt(p_of_class, class_of + j));
    hn::StoreU(m, d, to.blank + j);
    hn::StoreU(n, d, to.label + j);
    to.exponent[tile] = exponent;
  }
  SetOuterExponents(to, begin, tile);
  std::swap(step.states, step.spare);
  return true;
}

// Elements from `i` on of `count`; what is behind them is impossible.
PORTACL_LANE_INLINE FloatVector LoadStates(const float* from, size_t i, size_t count) {
  const FloatLanes df;
  if (HWY_LIKELY(i + hn::Lanes(df) <= count)) return hn::LoadU(df, from + i);
  return hn::IfThenElse(hn::FirstN(df, count - i), simd::LoadTail(df, from + i, count - i), hn::Neg(hn::Inf(df)));
}

// What the tiles of one exponent are compared with, and raised by.
struct TileBounds {
  int32_t exponent;
  float negligible;  // log alpha below which no product is anything
  float most;
  double least;  // log_alpha + nll of these
  double power;  // as PowerOfTwo adds it, and the exponent
};

// What the bounds of tiles have in common.
class BoundsOfStep {
 public:
  // States are less than 2^(512 + gain + gap), and no probability is less than 2^-drop_of_step.
  BoundsOfStep(const ScaledStep& step, double nll)
      : least_((-126 - step.drop_of_step - kGreatestBits - step.gain - step.gap) * simd::kLn2),
        most_((kMostProductBits - step.gap) * simd::kLn2 - nll),
        nll_(nll) {}

  HWY_INLINE TileBounds Of(int32_t exponent) const {
    // Where no state is reached, nothing but a NaN and +Inf is something.
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (exponent == kNoExponent) return {exponent, kInfinity, -kInfinity, 0, 0};
    const double logarithm = exponent * simd::kLn2;
    const double least = least_ - logarithm;
    const double rounding = 1e-6 * ((least < 0 ? -least : least) + (nll_ < 0 ? -nll_ : nll_));
    return {exponent, static_cast<float>(least - nll_ - rounding), static_cast<float>(most_ - logarithm),
            least - rounding, simd::kWholeShift + 1023 + exponent};
  }

 private:
  double least_;
  double most_;
  double nll_;
};

// e^(log_alpha + nll) * m * 2^exponent
struct Product {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V log_alpha, V m) const {
    const V x = hn::Add(log_alpha, hn::Set(d, nll));
    const V least = hn::Set(d, bounds.least);
    V power = hn::Undefined(d);
    const V fraction = simd::ExpInParts<true>(d, hn::Max(x, least), hn::Zero(d), power);
    power = simd::RaisedTwo(d, power, hn::Set(d, bounds.power));
    return hn::IfThenElseZero(hn::Ge(x, least), hn::Mul(hn::Mul(fraction, m), power));
  }
  double nll;
  TileBounds bounds;
};

// Whether log alpha of blanks and labels that beta has not reached, in tiles without others, is neither NaN nor
// infinite: if so, beta's 0 makes 0 of it.
HWY_INLINE bool AreBelow(const float* log_alpha, size_t count, size_t begin) {
  const FloatLanes df;
  const size_t lanes = hn::Lanes(Lanes());
  for (size_t j = 0; j + lanes <= begin; j += lanes) {
    const FloatVector both = LoadStates(log_alpha, 2 * j, count);
    if (!hn::AllTrue(df, hn::Le(both, hn::Set(df, hwy::HighestValue<float>())))) return false;
  }
  return true;
}

HWY_ATTR bool ScaledPosteriors(const ScaledStep& step, const float* log_alpha, double nll, double* sums) {
  const Lanes d;
  const FloatLanes df;
  const size_t lanes = hn::Lanes(d);
  const ScaledStates states = step.states;
  double* const products = step.products;
  const size_t labels = step.labels;
  const size_t count = 2 * labels + 1;
  if (step.drop_of_step + step.gain + step.gap > kMostSpread) return false;
  if (!AreBelow(log_alpha, count, step.begin)) return false;
  Vector blanks = hn::Zero(d);
  const BoundsOfStep bounds_of(step, nll);
  Product product = {nll, bounds_of.Of(states.exponent[step.begin / lanes])};
  const TileBounds& bounds = product.bounds;
  auto are_scaled = hn::Eq(hn::Zero(df), hn::Zero(df));
  // A path passes through few of many states at a time.
  size_t first = labels;
  size_t end = 0;
  for (size_t j = step.begin / lanes * lanes; j <= labels; j += lanes) {
    const int32_t exponent = states.exponent[j / lanes];
    if (HWY_UNLIKELY(exponent != bounds.exponent)) product.bounds = bounds_of.Of(exponent);
    const FloatVector both = LoadStates(log_alpha, 2 * j, count);
    if (hn::AllTrue(df, hn::Lt(both, hn::Set(df, bounds.negligible)))) {
      hn::StoreU(hn::Zero(d), d, products + j);
      continue;
    }
    are_scaled = hn::And(are_scaled, hn::Le(both, hn::Set(df, bounds.most)));
    first = HWY_MIN(first, j);
    end = HWY_MIN(j + lanes, labels);
    Vector even = hn::Zero(d);
    Vector odd = hn::Zero(d);
    Promote(both, even, odd);
    blanks = hn::Add(blanks, simd::Evaluate(d, product, even, hn::LoadU(d, states.blank + j)));
    hn::StoreU(simd::Evaluate(d, product, odd, hn::LoadU(d, states.label + j)), d, products + j);
  }
  if (!hn::AllTrue(df, are_scaled)) return false;
  const int32_t* const class_of = step.class_of_label;
#pragma GCC unroll 4  // what is done is less than what it takes to count
  for (size_t j = first; j < end; ++j) sums[class_of[j]] += products[j];
  sums[0] += hn::GetLane(hn::SumOfLanes(d, blanks));
  return true;
}

HWY_ATTR void ScaledGradients(const double* p_of_class, double grad, size_t classes, double* sums) {
  const LoopLanes d;
  for (size_t c = 0; c < classes; c += hn::Lanes(d)) {
    const LoopVector p = hn::LoadU(d, p_of_class + c);
    // Beta has the probability of its own step in it.
    const LoopVector difference = hn::Sub(p, hn::Div(hn::LoadU(d, sums + c), p));
    const auto is_something = hn::Ge(hn::Abs(difference), hn::Set(d, 0x1p-126));
    hn::StoreU(hn::Mul(hn::IfThenElseZero(is_something, difference), hn::Set(d, grad)), d, sums + c);
  }
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
