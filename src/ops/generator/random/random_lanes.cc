// SPDX-License-Identifier: Apache-2.0
#include "ops/generator/random/random_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/generator/random/random_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"
#include "simd/log.h"
#include "simd/philox.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::random::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using Words = simd::Counters;
using WordVector = hn::Vec<Words>;
using Doubles = hn::CappedTag<double, 32>;

using Halves = hn::Repartition<uint32_t, Words>;

// Calls f(word, i) for the words [first, first + n), a register at a time.
template <class F>
HWY_INLINE void ForWords(Stream stream, int64_t first, int64_t n, const F& f) {
  const Words d;
  const Halves halves;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint64_t words[4 * hn::MaxLanes(Words())];
  auto counter = static_cast<uint64_t>(first) / 4;
  for (size_t i = 0; i < static_cast<size_t>(n); i += 8 * lanes, counter += 2 * lanes) {
    WordVector a, b, c, e;
    simd::Philox(stream.seed, stream.offset, counter, a, b, c, e);
    hn::StoreInterleaved2(a, b, d, words);
    hn::StoreInterleaved2(c, e, d, words + 2 * lanes);
    for (size_t at = 0; at < 4; ++at) f(hn::BitCast(halves, hn::Load(d, words + at * lanes)), i + at * 2 * lanes);
  }
}

HWY_ATTR void OfOneWord(const Stream& stream, int64_t first, int64_t n, double* u) {
  const hn::RebindToSigned<Halves> integers;
  const hn::Half<decltype(integers)> half;
  const Doubles d;
  const size_t lanes = hn::Lanes(d);
  ForWords(stream, first, n, [&](auto word, size_t i) HWY_ATTR {
    const auto whole = hn::BitCast(integers, hn::ShiftRight<8>(word));
    hn::StoreU(hn::Mul(hn::PromoteTo(d, hn::LowerHalf(half, whole)), hn::Set(d, 0x1p-24)), d, u + i);
    hn::StoreU(hn::Mul(hn::PromoteTo(d, hn::UpperHalf(half, whole)), hn::Set(d, 0x1p-24)), d, u + i + lanes);
  });
}

HWY_ATTR void WhereLess(const Stream& stream, int64_t first, int64_t n, uint32_t end, float* values) {
  const hn::Repartition<float, Words> d;
  const hn::RebindToSigned<Halves> integers;
  ForWords(stream, first, n, [&](auto word, size_t i) HWY_ATTR {
    const auto is_less =
        hn::Lt(hn::BitCast(integers, hn::ShiftRight<8>(word)), hn::Set(integers, static_cast<int32_t>(end)));
    hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, is_less), hn::Set(d, 1.0F)), d, values + i);
  });
}

HWY_ATTR void AllWords(const Stream& stream, int64_t first, int64_t n, uint32_t* words) {
  ForWords(stream, first, n, [&](auto word, size_t i) HWY_ATTR { hn::StoreU(word, Halves(), words + i); });
}

// The upper half of word * count, in 64 bits, of the lower and of the upper word of each lane.
HWY_INLINE WordVector Below(WordVector word, uint64_t count) {
  const Words d;
  const Halves halves;
  if (count >> 32 != 0) return hn::And(word, hn::Set(d, uint64_t{0xFFFFFFFF}));
  return hn::ShiftRight<32>(hn::MulEven(hn::BitCast(halves, word), hn::Set(halves, static_cast<uint32_t>(count))));
}

HWY_ATTR void BelowWide(const Stream& of, int64_t first, int64_t n, int64_t from, uint64_t count, int64_t* values) {
  const Stream stream = of;  // what is written could be it
  const Words d;
  const size_t lanes = hn::Lanes(d);
  const auto start = hn::Set(d, static_cast<uint64_t>(from));
  auto counter = static_cast<uint64_t>(first) / 4;
  for (size_t i = 0; i < static_cast<size_t>(n); i += 4 * lanes, counter += lanes) {
    WordVector a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    hn::StoreInterleaved4(hn::Add(start, Below(a, count)), hn::Add(start, Below(hn::ShiftRight<32>(a), count)),
                          hn::Add(start, Below(b, count)), hn::Add(start, Below(hn::ShiftRight<32>(b), count)), d,
                          reinterpret_cast<uint64_t*>(values) + i);
  }
}

HWY_ATTR void BelowNarrow(const Stream& stream, int64_t first, int64_t n, int64_t from, uint64_t count,
                          int32_t* values) {
  const Words d;
  const Halves halves;
  const size_t lanes = hn::Lanes(d);
  const auto start = hn::Set(halves, static_cast<uint32_t>(from));
  const auto both = [&](WordVector word) HWY_ATTR {
    const WordVector lower = Below(word, count), upper = Below(hn::ShiftRight<32>(word), count);
    const auto pair = hn::Or(lower, hn::ShiftLeft<32>(upper));
    return hn::BitCast(d, hn::Add(start, hn::BitCast(halves, pair)));
  };
  HWY_ALIGN uint64_t pairs[2 * hn::MaxLanes(Words())];
  auto counter = static_cast<uint64_t>(first) / 4;
  for (size_t i = 0; i < static_cast<size_t>(n); i += 4 * lanes, counter += lanes) {
    WordVector a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    hn::StoreInterleaved2(both(a), both(b), d, pairs);
    std::memcpy(values + i, pairs, 16 * lanes);
  }
}

HWY_ATTR void OfTwoWords(const Stream& stream, int64_t first, int64_t n, double* u) {
  const Words d;
  const Doubles dd;
  const size_t lanes = hn::Lanes(d);
  auto counter = static_cast<uint64_t>(first) / 2;
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(2 * lanes), counter += lanes) {
    WordVector a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    hn::StoreInterleaved2(simd::UniformOfPairs(a), simd::UniformOfPairs(b), dd, u + i);
  }
}

// The smaller of from + u range and `most`; NaN is propagated.
template <class D>
HWY_INLINE hn::Vec<D> Scaled(D d, double from, double range, double most, hn::Vec<D> u) {
  const auto value = hn::Add(hn::Set(d, from), hn::Mul(u, hn::Set(d, range)));
  return hn::IfThenElse(hn::Lt(hn::Set(d, most), value), hn::Set(d, most), value);
}

HWY_ATTR void Scale(double from, double range, double most, bool is_whole, int64_t n, double* u) {
  const Doubles d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += lanes) {
    const auto value = Scaled(d, from, range, most, hn::LoadU(d, u + i));
    hn::StoreU(is_whole ? hn::Floor(value) : value, d, u + i);
  }
}

// The first 24 of the 53 bits of a number, the last of which is set where others were.
template <class D, class V>
HWY_INLINE V Odd(D d, V x) {
  const hn::RebindToUnsigned<D> words;
  constexpr uint64_t kLast = uint64_t{1} << 29;
  const auto bits = hn::BitCast(words, x);
  const auto sticky =
      hn::And(hn::Add(hn::And(bits, hn::Set(words, kLast - 1)), hn::Set(words, kLast - 1)), hn::Set(words, kLast));
  return hn::BitCast(d, hn::Or(hn::AndNot(hn::Set(words, kLast - 1), bits), sticky));
}

HWY_ATTR void Narrow(bool to_odd, int64_t n, const double* from, float* values) {
  const auto narrow = [&](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> single;
    const auto value = hn::LoadU(d, from + i);
    hn::StoreU(hn::DemoteTo(single, to_odd ? Odd(d, value) : value), single, values + i);
  };
  const Doubles d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) narrow(d, i);
  for (; i < n; ++i) narrow(hn::CappedTag<double, 1>(), i);
}

// Sine and cosine of 2 pi u for u in [0, 1).
template <class D, class V>
HWY_INLINE void SineAndCosine(D d, V u, V& sine, V& cosine) {
  const hn::RebindToUnsigned<D> words;
  const V shift = hn::Set(d, simd::kWholeShift);
  const V shifted = hn::Add(hn::Mul(u, hn::Set(d, 4.0)), shift);
  const V r = hn::Mul(hn::MulSub(u, hn::Set(d, 4.0), hn::Sub(shifted, shift)), hn::Set(d, 0x1.921fb54442d18p+0));
  const V z = hn::Mul(r, r);
  // Taylor's series for |r| <= pi/4.
  V s = hn::MulAdd(hn::Set(d, -1.0 / 1307674368000), z, hn::Set(d, 1.0 / 6227020800));
  s = hn::MulAdd(s, z, hn::Set(d, -1.0 / 39916800));
  s = hn::MulAdd(s, z, hn::Set(d, 1.0 / 362880));
  s = hn::MulAdd(s, z, hn::Set(d, -1.0 / 5040));
  s = hn::MulAdd(s, z, hn::Set(d, 1.0 / 120));
  s = hn::MulAdd(s, z, hn::Set(d, -1.0 / 6));
  s = hn::MulAdd(hn::Mul(s, z), r, r);
  V c = hn::MulAdd(hn::Set(d, 1.0 / 20922789888000), z, hn::Set(d, -1.0 / 87178291200));
  c = hn::MulAdd(c, z, hn::Set(d, 1.0 / 479001600));
  c = hn::MulAdd(c, z, hn::Set(d, -1.0 / 3628800));
  c = hn::MulAdd(c, z, hn::Set(d, 1.0 / 40320));
  c = hn::MulAdd(c, z, hn::Set(d, -1.0 / 720));
  c = hn::MulAdd(c, z, hn::Set(d, 1.0 / 24));
  c = hn::MulAdd(c, z, hn::Set(d, -0.5));
  c = hn::MulAdd(c, z, hn::Set(d, 1.0));
  // The low bits of the number of quarter turns select sine or cosine, and its sign.
  const auto turns = hn::BitCast(words, shifted);
  const auto is_odd = hn::RebindMask(d, hn::TestBit(turns, hn::Set(words, uint64_t{1})));
  const V sign = hn::Set(d, -0.0);
  const V of_sine = hn::And(hn::BitCast(d, hn::ShiftLeft<62>(turns)), sign);
  const V of_cosine = hn::And(hn::BitCast(d, hn::ShiftLeft<62>(hn::Add(turns, hn::Set(words, uint64_t{1})))), sign);
  sine = hn::Xor(hn::IfThenElse(is_odd, c, s), of_sine);
  cosine = hn::Xor(hn::IfThenElse(is_odd, s, c), of_cosine);
}

// In two passes, in which a register waits less for the one before it: two thirds of the time (Zen 3, 2026-11-30).
HWY_ATTR void ToNormal(double mean, double deviation, int64_t n, double* u) {
  const Doubles d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    hn::Vec<Doubles> first, second;
    hn::LoadInterleaved2(d, u + i, first, second);
    const auto rest = hn::Sub(hn::Set(d, 1.0), first);  // exact
    const auto logarithm = hn::Abs(simd::LogOfScaled<false>(d, rest, hn::Zero(d)));
    hn::StoreU(hn::Sqrt(hn::Add(logarithm, logarithm)), d, u + i);
    hn::StoreU(second, d, u + i + lanes);
  }
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    const auto radius = hn::LoadU(d, u + i);
    hn::Vec<Doubles> sine, cosine;
    SineAndCosine(d, hn::LoadU(d, u + i + lanes), sine, cosine);
    const auto scaled = [&](hn::Vec<Doubles> x) HWY_ATTR {
      return hn::MulAdd(hn::Mul(radius, x), hn::Set(d, deviation), hn::Set(d, mean));
    };
    hn::StoreInterleaved2(scaled(cosine), scaled(sine), d, u + i);
  }
}

RandomFunctions FunctionsHere() {
  return {OfOneWord, OfTwoWords, Scale, ToNormal, Narrow, WhereLess, BelowWide, BelowNarrow, AllWords};
}

}  // namespace portacl::ops::random::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::random, FunctionsFor, (int64_t target), FunctionsHere)
