// SPDX-License-Identifier: Apache-2.0
//
// Random words in lanes. Included once per target.

#if defined(PORTACL_SIMD_PHILOX_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_PHILOX_H_
#undef PORTACL_SIMD_PHILOX_H_
#else
#define PORTACL_SIMD_PHILOX_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Lanes of counters, in a number that divides a block of 128.
using Counters = hn::CappedTag<uint64_t, 32>;

/// One round of Philox4x32-10. Only lower halves are computed with; the content of upper halves is unspecified.
HWY_INLINE void PhiloxRound(uint32_t k0, uint32_t k1, hn::Vec<Counters>& c0, hn::Vec<Counters>& c1,
                            hn::Vec<Counters>& c2, hn::Vec<Counters>& c3) {
  using V = hn::Vec<Counters>;
  const Counters d;
  const hn::Repartition<uint32_t, Counters> halves;
  const auto product = [&](V x, uint32_t factor)
                           HWY_ATTR { return hn::MulEven(hn::BitCast(halves, x), hn::Set(halves, factor)); };
  const V a = product(c0, 0xD2511F53), b = product(c2, 0xCD9E8D57);
  c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(d, uint64_t{k0}));
  c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(d, uint64_t{k1}));
  c1 = b;
  c3 = a;
}

/// The lower halves of both, those of `low` in the lower half.
HWY_INLINE hn::Vec<Counters> JoinHalves(hn::Vec<Counters> low, hn::Vec<Counters> high) {
  return hn::Or(hn::And(low, hn::Set(Counters(), uint64_t{0xFFFFFFFF})), hn::ShiftLeft<32>(high));
}

/// The words of the counters from `number` on, of the stream with this key and this offset: Philox4x32-10 of J. Salmon
/// and others, "Parallel random numbers: as easy as 1, 2, 3" (2011), which computes four words from a counter of 128
/// bits. The offset is its upper half, so that streams of different offsets have no counter in common. `first` gets
/// words 0 and 1 of each counter, `second` words 2 and 3; of each two, the first is in the lower half.
HWY_INLINE void Philox(uint64_t key, uint64_t offset, uint64_t number, hn::Vec<Counters>& first,
                       hn::Vec<Counters>& second) {
  using V = hn::Vec<Counters>;
  const Counters d;
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  V c0 = hn::Add(hn::Set(d, number), hn::Iota(d, 0)), c1 = hn::ShiftRight<32>(c0);
  V c2 = hn::Set(d, offset), c3 = hn::Set(d, offset >> 32);
#pragma GCC unroll 10  // the keys of all rounds are then known before the loop over counters: a fifth less time
  for (int round = 0; round < 10; ++round) {
    PhiloxRound(k0, k1, c0, c1, c2, c3);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  first = JoinHalves(c0, c1);
  second = JoinHalves(c2, c3);
}

/// The same for twice as many counters: `third` and `fourth` get the words of the others. A round does not wait for the
/// one before it: a fifth less time (AVX2, Zen 3, 2026-11-30).
HWY_INLINE void Philox(uint64_t key, uint64_t offset, uint64_t number, hn::Vec<Counters>& first,
                       hn::Vec<Counters>& second, hn::Vec<Counters>& third, hn::Vec<Counters>& fourth) {
  using V = hn::Vec<Counters>;
  const Counters d;
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  V c0 = hn::Add(hn::Set(d, number), hn::Iota(d, 0)), c1 = hn::ShiftRight<32>(c0);
  V d0 = hn::Add(c0, hn::Set(d, uint64_t{hn::Lanes(d)})), d1 = hn::ShiftRight<32>(d0);
  V c2 = hn::Set(d, offset), c3 = hn::Set(d, offset >> 32), d2 = c2, d3 = c3;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    PhiloxRound(k0, k1, c0, c1, c2, c3);
    PhiloxRound(k0, k1, d0, d1, d2, d3);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  first = JoinHalves(c0, c1);
  second = JoinHalves(c2, c3);
  third = JoinHalves(d0, d1);
  fourth = JoinHalves(d2, d3);
}

/// Uniform numbers in [0, 1), from 27 bits of the lower half of each lane and 26 of the upper.
HWY_INLINE hn::VFromD<hn::RebindToFloat<Counters>> UniformOfPairs(hn::Vec<Counters> pair) {
  using V = hn::Vec<Counters>;
  const Counters d;
  const hn::RebindToFloat<Counters> reals;
  const V high = hn::And(hn::ShiftRight<5>(pair), hn::Set(d, uint64_t{(1 << 27) - 1}));
  const V low = hn::ShiftRight<38>(pair);
  // The bits are inserted below the exponent bits of a power of two.
  const V power = hn::BitCast(d, hn::Set(reals, 0x1p52));
  const auto part = [&](V bits)
                        HWY_ATTR { return hn::Sub(hn::BitCast(reals, hn::Or(bits, power)), hn::Set(reals, 0x1p52)); };
  return hn::Mul(hn::Add(hn::Mul(part(high), hn::Set(reals, 0x1p26)), part(low)), hn::Set(reals, 0x1p-53));
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PORTACL_SIMD_PHILOX_H_
