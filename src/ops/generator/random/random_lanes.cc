// SPDX-License-Identifier: Apache-2.0
#include "ops/generator/random/random_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

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

HWY_ATTR void OfOneWord(const Stream& stream, int64_t first, double* u) {
  const Words d;
  const hn::Repartition<uint32_t, Words> halves;
  const Doubles dd;
  const hn::Rebind<int32_t, Doubles> integers;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint32_t words[4 * hn::MaxLanes(Words())];
  auto counter = static_cast<uint64_t>(first) / 4;
  for (int64_t i = 0; i < kBlock; i += static_cast<int64_t>(4 * lanes), counter += lanes) {
    WordVector a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    const auto cut_off = [&](WordVector x)
                             HWY_ATTR { return hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(halves, x))); };
    hn::StoreInterleaved2(cut_off(a), cut_off(b), d, reinterpret_cast<uint64_t*>(words));
    for (size_t j = 0; j < 4 * lanes; j += lanes) {
      const auto whole = hn::BitCast(integers, hn::Load(hn::Rebind<uint32_t, Doubles>(), words + j));
      hn::StoreU(hn::Mul(hn::PromoteTo(dd, whole), hn::Set(dd, 0x1p-24)), dd, u + static_cast<size_t>(i) + j);
    }
  }
}

HWY_ATTR void OfTwoWords(const Stream& stream, int64_t first, double* u) {
  const Words d;
  const Doubles dd;
  const size_t lanes = hn::Lanes(d);
  auto counter = static_cast<uint64_t>(first) / 2;
  for (int64_t i = 0; i < kBlock; i += static_cast<int64_t>(2 * lanes), counter += lanes) {
    WordVector a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    // 27 bits of the first word and 26 of the second, each inserted below the exponent bits of a power of two.
    const auto number = [&](WordVector x) HWY_ATTR {
      const WordVector high = hn::And(hn::ShiftRight<5>(x), hn::Set(d, uint64_t{(1 << 27) - 1}));
      const WordVector low = hn::ShiftRight<38>(x);
      const WordVector power = hn::BitCast(d, hn::Set(dd, 0x1p52));
      const auto part = [&](WordVector bits)
                            HWY_ATTR { return hn::Sub(hn::BitCast(dd, hn::Or(bits, power)), hn::Set(dd, 0x1p52)); };
      return hn::Mul(hn::Add(hn::Mul(part(high), hn::Set(dd, 0x1p26)), part(low)), hn::Set(dd, 0x1p-53));
    };
    hn::StoreInterleaved2(number(a), number(b), dd, u + i);
  }
}

// The smaller of from + u range and `most`; NaN is propagated.
template <class D>
HWY_INLINE hn::Vec<D> Scaled(D d, double from, double range, double most, hn::Vec<D> u) {
  const auto value = hn::Add(hn::Set(d, from), hn::Mul(u, hn::Set(d, range)));
  return hn::IfThenElse(hn::Lt(hn::Set(d, most), value), hn::Set(d, most), value);
}

// Calls f(tag, i) for whole registers of n elements, and for the remaining elements one by one.
template <class F>
HWY_INLINE void ForLanes(int64_t n, const F& f) {
  const Doubles d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(d, i);
  for (; i < n; ++i) f(hn::CappedTag<double, 1>(), i);
}

HWY_ATTR void Scale(double from, double range, double most, bool is_whole, int64_t n, const double* HWY_RESTRICT u,
                    double* HWY_RESTRICT values) {
  ForLanes(n, [&](auto d, int64_t i) HWY_ATTR {
    const auto value = Scaled(d, from, range, most, hn::LoadU(d, u + i));
    hn::StoreU(is_whole ? hn::Floor(value) : value, d, values + i);
  });
}

HWY_ATTR void ScaleToWhole(double from, double range, double most, int64_t n, const double* HWY_RESTRICT u,
                           float* HWY_RESTRICT values) {
  ForLanes(n, [&](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> narrow;
    const auto value = hn::Floor(Scaled(d, from, range, most, hn::LoadU(d, u + i)));
    hn::StoreU(hn::DemoteTo(narrow, value), narrow, values + i);
  });
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

HWY_ATTR void ToNormal(double mean, double deviation, double* u) {
  const Doubles d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < kBlock; i += 2 * lanes) {
    hn::Vec<Doubles> first, second, sine, cosine;
    hn::LoadInterleaved2(d, u + i, first, second);
    const auto rest = hn::Sub(hn::Set(d, 1.0), first);  // exact
    const auto logarithm = hn::Abs(simd::LogOfScaled<false>(d, rest, hn::Zero(d)));
    const auto radius = hn::Sqrt(hn::Add(logarithm, logarithm));
    SineAndCosine(d, second, sine, cosine);
    const auto scaled = [&](hn::Vec<Doubles> x) HWY_ATTR {
      return hn::MulAdd(hn::Mul(radius, x), hn::Set(d, deviation), hn::Set(d, mean));
    };
    hn::StoreInterleaved2(scaled(cosine), scaled(sine), d, u + i);
  }
}

RandomFunctions FunctionsHere() { return {OfOneWord, OfTwoWords, Scale, ScaleToWhole, ToNormal}; }

}  // namespace portacl::ops::random::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::random, FunctionsFor, (int64_t target), FunctionsHere)
