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
#include "ops/loss/ctc_loss/ctc_loss_states.h"
#include "ops/loss/ctc_loss/ctc_loss_tiles.h"
#include "simd/evaluate.h"
#include "simd/exp.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// Limit in bits of the product of a state of beta, without its mantissa, and one of alpha, from which the gap is
// subtracted. Larger products are left to a step of pairs, so that no sum of products with mantissas overflows: 250 +
// 512 + 32 + 64 < 1023.
constexpr double kMostProductBits = 250;
// Nor may the power of two of the smallest product that matters become subnormal: -126 - 512 - 32 - 338 > -1022.
constexpr int32_t kMostGapOfSums = 338;

// Computes exponentials for all these steps, or none: returns false if one of them is not scaled. `least` receives the
// smallest log-probability.
HWY_NOINLINE bool ExponentialsOfSteps(const float* lp, ptrdiff_t time, size_t n, double* p, size_t pitch, size_t count,
                                      double& least) {
  const LoopLanes d;
  const hn::Rebind<float, LoopLanes> halves;
  const size_t lanes = hn::Lanes(d);
  // Compares bit patterns: for negative floats the unsigned integers, for others the signed ones increase with the
  // distance from 0; a NaN is further away than infinity.
  const hn::RebindToUnsigned<decltype(halves)> unsigned_words;
  const hn::RebindToSigned<decltype(halves)> signed_words;
  auto below = hn::Set(unsigned_words, 0x80000000u);
  auto above = hn::Zero(signed_words);
  for (size_t step = 0; step < count; ++step, lp += time, p += pitch) {
    for (size_t i = 0; i < n; i += lanes) {
      const bool is_whole = i + lanes <= n;
      const auto half = HWY_LIKELY(is_whole) ? hn::LoadU(halves, lp + i) : simd::LoadTail(halves, lp + i, n - i);
      below = hn::Max(below, hn::BitCast(unsigned_words, half));
      above = hn::Max(above, hn::BitCast(signed_words, half));
      hn::StoreU(simd::Exp<true>(d, hn::PromoteTo(d, half)), d, p + i);
    }
  }
  least = static_cast<double>(std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(unsigned_words, below))));
  const auto most = std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(signed_words, above)));
  return least >= kLeastScaled && static_cast<double>(most) <= kGreatestScaled;
}

HWY_ATTR size_t ScaledExponentials(const float* lp, ptrdiff_t time, size_t n, double* p, size_t pitch, size_t count,
                                   double* drop) {
  double least = 0;
  size_t made = 0;
  if (HWY_LIKELY(ExponentialsOfSteps(lp, time, n, p, pitch, count, least))) {
    made = count;
  } else {
    least = 0;
    double of_step = 0;
    for (; made < count && ExponentialsOfSteps(lp, time, n, p, pitch, 1, of_step); ++made, lp += time, p += pitch)
      least = HWY_MIN(least, of_step);
  }
  *drop = -simd::kLog2e * least;
  return made;
}

PORTACL_LANE_INLINE Vector ElementsAt(const double* from, const int32_t* places) {
#if HWY_TARGET == HWY_EMU128
  const Lanes d;
  double elements[hn::MaxLanes(d)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) elements[i] = from[places[i]];
  return hn::LoadU(d, elements);
#elif HWY_TARGET == HWY_AVX2
  // With gather instructions, losses take 1.2 times as long, their gradients 1.05 to 1.1 (Zen 2).
  return {_mm256_set_pd(from[places[3]], from[places[2]], from[places[1]], from[places[0]])};
#else
  const Lanes d;
  const hn::RebindToSigned<Lanes> wide;
  const hn::Rebind<int32_t, Lanes> narrow;
  return hn::GatherIndex(d, from, hn::PromoteTo(wide, hn::LoadU(narrow, places)));
#endif
}

// Elements one index to the left of `tile`, which was stored at `at`. A load would span two stores and stall until both
// have reached the cache: without it, losses with few labels take 3 % less time.
PORTACL_LANE_INLINE Vector ElementsBefore(const double* at, [[maybe_unused]] Vector tile) {
  const Lanes d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const Vector before = hn::LoadU(d, at - hn::Lanes(d));
  return {_mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(tile.raw), _mm512_castpd_si512(before.raw), 7))};
#else
  return hn::LoadU(d, at - 1);
#endif
}

// The limits for tiles of one exponent, and the power of two that scales them.
struct TileBounds {
  int32_t exponent;
  float negligible;  // log alpha below which every product is negligible
  float most;
  double least;  // log_alpha + nll at that limit
  double power;  // in the form that PowerOfTwo adds, and the exponent
};

// States are less than 2^(512 + kMostGain + gap).
HWY_INLINE TileBounds BoundsOf(int32_t exponent, int32_t gap, double nll) {
  // Where no state is reached, only a NaN or +Inf is not negligible.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (exponent == kNoExponent) return {exponent, kInfinity, -kInfinity, 0, 0};
  const double least = (-126 - kGreatestBits - kMostGain - gap - exponent) * simd::kLn2;
  const double rounding = 1e-6 * ((least < 0 ? -least : least) + (nll < 0 ? -nll : nll));
  return {exponent, static_cast<float>(least - nll - rounding),
          static_cast<float>((kMostProductBits - gap - exponent) * simd::kLn2 - nll), least - rounding,
          simd::kWholeShift + 1023 + exponent};
}

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

// Whether log alpha is neither NaN nor +Inf for the blanks and labels of tiles that beta has not reached at all: then
// products with beta's 0 are 0.
HWY_INLINE bool AreBelow(const float* log_alpha, size_t count, size_t begin) {
  const FloatLanes df;
  const size_t lanes = hn::Lanes(Lanes());
  for (size_t j = 0; j + lanes <= begin; j += lanes) {
    const FloatVector both = LoadStates(log_alpha, 2 * j, count);
    if (!hn::AllTrue(df, hn::Le(both, hn::Set(df, hwy::HighestValue<float>())))) return false;
  }
  return true;
}

// See ScaledKernels. kPrefetches: the loops prefetch; that makes them 3 % slower when there is nothing to prefetch.
template <bool kForward, bool kPrefetches>
HWY_ATTR size_t AdvanceScaled(ScaledStep& step, const ScaledBlock& of) {
  const Lanes d;
  const FloatLanes df;
  const size_t lanes = hn::Lanes(d);
  // Copies: the compiler must assume that a store may change the originals.
  const ScaledBlock block = of;
  const double* const skip = step.skip;
  const int32_t* const class_of = step.class_of_label;
  const size_t class_of_blank = step.blank;
  double* const products = step.products;
  const size_t labels = step.labels;
  const size_t all = labels + 1;
  const size_t states = labels + all;
  ScaledStates from = step.states;
  ScaledStates to = step.spare;
  double drop = step.drop;
  double gain = step.gain;
  int32_t gap = step.gap;
  Product product = {block.nll, BoundsOf(kNoExponent, gap, block.nll)};
  bool has_sums = true;
  const double* p_of_class = block.p_of_class;
  const std::byte* ahead = block.ahead;
  float* log_alpha = block.log_alpha;
  double* sums = block.sums;
  size_t made = 0;
  for (; made < block.count && has_sums; ++made) {
    drop += block.drop;
    gain += kGainOfStep;
    if (HWY_UNLIKELY(drop > kMostDrop || gain > kMostGain)) {
      const int32_t next = Rescale(kForward, from, (labels + lanes) / lanes);
      if (next < 0) break;
      if (next != gap) product.bounds.exponent = kNoExponent;
      gap = next;
      drop = block.drop;
      gain = kGainOfStep;
    }
    const size_t reached = HWY_MIN(block.reached + made, all);
    const size_t begin = kForward ? 0 : (all - reached) / lanes * lanes;
    const size_t end = kForward ? reached : all;
    const Vector p_blank = hn::Set(d, p_of_class[class_of_blank]);
    [[maybe_unused]] Vector blanks = hn::Zero(d);
    auto are_scaled = hn::Eq(hn::Zero(df), hn::Zero(df));
    // The range of labels with products: with many states, a path passes through few of them at a time.
    size_t first = labels;
    size_t last = 0;
    bool is_made = true;
    size_t tile = begin / lanes;
    [[maybe_unused]] const size_t lines_of_tile =
        kPrefetches && made < block.ahead_steps ? block.line_count / (end / lanes + 1) + 1 : 0;
    [[maybe_unused]] const int64_t* lines = block.lines;
    for (size_t j = begin; j < end; j += lanes, ++tile) {
      if constexpr (kPrefetches) {
        const int64_t* const end_of_lines = HWY_MIN(lines + lines_of_tile, block.lines + block.line_count);
        // Into the second-level cache: the first-level cache supports fewer outstanding misses.
        for (; lines < end_of_lines; ++lines) __builtin_prefetch(ahead + *lines, 0, 2);
      }
      // As in AdvancePairs().
      const Vector blank = hn::LoadU(d, from.blank + j);
      const Vector label = hn::LoadU(d, from.label + j);
      Vector label_beside = kForward ? ElementsBefore(from.label + j, label) : hn::LoadU(d, from.label + j + 1);
      Vector blank_beside = kForward ? blank : hn::LoadU(d, from.blank + j + 1);
      int32_t exponent = from.exponent[tile];
      const int32_t beside = from.exponent[kForward ? tile - 1 : tile + 1];
      if (HWY_UNLIKELY(exponent != beside)) {
        if (hn::AllTrue(d, hn::Eq(hn::Max(blank, label), hn::Zero(d)))) {
          exponent = beside;
        } else {
          // States next to the tile are converted to its exponent.
          const auto are_beside = kForward ? hn::FirstN(d, 1) : hn::Not(hn::FirstN(d, lanes - 1));
          const int32_t away = beside - exponent;
          const Vector most = kForward ? label_beside : hn::Max(blank_beside, label_beside);
          if (HWY_UNLIKELY(away > kMostGap || away < -kMostGap)) {
            is_made &= hn::AllTrue(d, hn::Eq(hn::IfThenElseZero(are_beside, most), hn::Zero(d)));
          } else {
            const Vector factor = hn::IfThenElse(are_beside, hn::Set(d, PowerOf(away)), hn::Set(d, 1.0));
            label_beside = hn::Mul(label_beside, factor);
            if (!kForward) blank_beside = hn::Mul(blank_beside, factor);
          }
        }
      }
      const Vector may_skip = hn::LoadU(d, skip + (kForward ? j : j + 1));
      const Vector of_blank = hn::Add(blank, kForward ? label_beside : label);
      const Vector of_label = hn::Add(hn::Add(label, blank_beside), hn::And(may_skip, label_beside));
      const Vector m = hn::Mul(of_blank, p_blank);
      Vector n = hn::Mul(of_label, ElementsAt(p_of_class, class_of + j));
      // There is no state to the right of the last blank.
      if (kForward && j + lanes > labels) n = hn::IfThenElseZero(hn::FirstN(d, labels - j), n);
      hn::StoreU(m, d, to.blank + j);
      hn::StoreU(n, d, to.label + j);
      to.exponent[tile] = exponent;
      if (log_alpha == nullptr) continue;
      if constexpr (kForward) {
        StoreStates(LogarithmsOf(m, n, exponent), log_alpha, 2 * j, states);
      } else {
        // Without the probability of their own step, which alpha includes.
        if (HWY_UNLIKELY(exponent != product.bounds.exponent)) product.bounds = BoundsOf(exponent, gap, product.nll);
        const FloatVector both = LoadStates(log_alpha, 2 * j, states);
        if (hn::AllTrue(df, hn::Lt(both, hn::Set(df, product.bounds.negligible)))) {
          hn::StoreU(hn::Zero(d), d, products + j);
          continue;
        }
        are_scaled = hn::And(are_scaled, hn::Le(both, hn::Set(df, product.bounds.most)));
        first = HWY_MIN(first, j);
        last = HWY_MIN(j + lanes, labels);
        Vector even = hn::Zero(d);
        Vector odd = hn::Zero(d);
        Promote(both, even, odd);
        blanks = hn::Add(blanks, simd::Evaluate(d, product, even, of_blank));
        hn::StoreU(simd::Evaluate(d, product, odd, of_label), d, products + j);
      }
    }
    if (!is_made) break;
    SetOuterExponents(to, begin, tile);
    std::swap(from, to);
    p_of_class += block.pitch;
    ahead += block.ahead_time;
    if (log_alpha == nullptr) continue;
    if constexpr (kForward) {
      for (size_t j = tile * lanes; j < all; j += lanes) StoreStates(hn::Neg(hn::Inf(df)), log_alpha, 2 * j, states);
    } else {
      has_sums = gap <= kMostGapOfSums && hn::AllTrue(df, are_scaled) && AreBelow(log_alpha, states, all - reached);
      if (has_sums) {
#pragma GCC unroll 4  // the body takes less time than the loop counter
        for (size_t j = first; j < last; ++j) sums[class_of[j]] += products[j];
        sums[class_of_blank] += hn::GetLane(hn::SumOfLanes(d, blanks));
      }
      sums += block.pitch;
    }
    log_alpha += block.time;
  }
  step.states = from;
  step.spare = to;
  step.drop = drop;
  step.gain = gain;
  step.gap = gap;
  step.has_sums = has_sums;
  return made;
}

HWY_ATTR size_t ForwardScaled(ScaledStep& step, const ScaledBlock& block) {
  return block.ahead_steps == 0 ? AdvanceScaled<true, false>(step, block) : AdvanceScaled<true, true>(step, block);
}

HWY_ATTR void ScaledGradients(const double* p_of_class, double* sums, double grad, size_t classes, float* out) {
  const LoopLanes d;
  [[maybe_unused]] const hn::Rebind<float, LoopLanes> halves;
  const size_t lanes = hn::Lanes(d);
  for (size_t c = 0; c < classes; c += lanes) {
    const LoopVector difference = hn::Sub(hn::LoadU(d, p_of_class + c), hn::LoadU(d, sums + c));
    hn::StoreU(hn::Zero(d), d, sums + c);
    const auto is_something = hn::Ge(hn::Abs(difference), hn::Set(d, 0x1p-126));
    const LoopVector result = hn::Mul(hn::IfThenElseZero(is_something, difference), hn::Set(d, grad));
#if HWY_TARGET == HWY_EMU128
    out[c] = static_cast<float>(hn::GetLane(result));  // see Demote()
#else
    const auto half = hn::DemoteTo(halves, result);
    if (HWY_LIKELY(c + lanes <= classes)) {
      hn::StoreU(half, halves, out + c);
    } else {
      simd::StoreTail(halves, half, out + c, classes - c);
    }
#endif
  }
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
