// SPDX-License-Identifier: Apache-2.0
//
// Tiles of scaled states (see ctc_loss_lanes.h): their exponents, and how states are scaled back into range. Included
// once per target.

#if defined(PORTACL_CTC_LOSS_TILES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_CTC_LOSS_TILES_H_
#undef PORTACL_CTC_LOSS_TILES_H_
#else
#define PORTACL_CTC_LOSS_TILES_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"
#include "ops/loss/ctc_loss/ctc_loss_pairs.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// After rescaling, the largest state of a tile lies in [2^448, 2^512), and all nonzero states are at least 2^-250.
// Until the next rescaling they gain, or lose, a bounded number of bits. Nothing overflows or becomes subnormal, not
// even states from a tile whose exponent is kMostGap larger or smaller: 512 + 32 + 448 < 1023, -250 - 128 - 448 >
// -1022.
constexpr int32_t kGreatestBits = 512;
constexpr double kGreatestOfTile = 0x1p512;
constexpr double kLeastOfTile = 0x1p-250;
constexpr double kMostDrop = 128;
constexpr double kMostGain = 32;
constexpr int32_t kMostGap = 7 * kTileBits;
// Three states, times e^0.5.
constexpr double kGainOfStep = 3;
// The exponent of a tile in which no state is reached.
constexpr int32_t kNoExponent = -(1 << 30);

// The first and the last tile have no neighbours, but the neighbours' exponents are read.
HWY_INLINE void SetOuterExponents(const ScaledStates& states, size_t begin, size_t end) {
  if (begin == 0) states.exponent[-1] = states.exponent[0];
  states.exponent[end] = states.exponent[end - 1];
}

// The largest excess of a tile's exponent over that of another which its states reach before the next rescaling: they
// move by one label per step.
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

// Scales a tile so that its largest state is in range. False if other states would then be out of range.
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

// Rescales all tiles; returns the largest gap, or -1 if some state would be out of range. Does not change the values
// represented.
HWY_NOINLINE int32_t Rescale(bool forward, const ScaledStates& of, size_t tiles) {
  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  const ScaledStates states = of;
  // The tiles in which states are reached.
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
    if (!RescaleTile(blanks, labels, states.exponent[tile])) return -1;
  }
  SetOuterExponents(states, 0, tiles);
  const int32_t gap = LargestGap(forward, states.exponent, begin, end);
  return gap <= kMostGap ? gap : -1;
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
