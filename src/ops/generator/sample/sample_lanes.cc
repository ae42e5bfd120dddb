// SPDX-License-Identifier: Apache-2.0
#include "ops/generator/sample/sample_lanes.h"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/generator/sample/sample_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"
#include "simd/log.h"
#include "simd/philox.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::sample::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using Counters = simd::Counters;
using Doubles = hn::RebindToFloat<Counters>;

// Stores convert(pairs, number of the first element) of the elements [first, first + kBlock): every second one, and the
// others.
template <class D, class T, class F>
HWY_INLINE void ForPairs(D d, Stream stream, int64_t first, T* to, const F& convert) {
  const size_t lanes = hn::Lanes(d);
  auto counter = static_cast<uint64_t>(first) / 2;
  for (size_t i = 0; i < static_cast<size_t>(kBlock); i += 4 * lanes, counter += 2 * lanes) {
    const uint64_t number = 2 * counter, next = number + 2 * lanes;
    hn::Vec<Counters> words, more, others, rest;
    simd::Philox(stream.seed, stream.offset, counter, words, more, others, rest);
    hn::StoreInterleaved2(convert(words, number), convert(more, number + 1), d, to + i);
    hn::StoreInterleaved2(convert(others, next), convert(rest, next + 1), d, to + i + 2 * lanes);
  }
}

HWY_ATTR void Pairs(const Stream& stream, int64_t first, uint64_t mask, uint64_t* pairs) {
  const Counters d;
  const auto low = hn::Set(d, mask), even = hn::ShiftLeft<1>(hn::Iota(d, 0));
  ForPairs(d, stream, first, pairs, [&](auto pair, uint64_t number) HWY_ATTR {
    return hn::OrAnd(hn::AndNot(low, pair), low, hn::Add(hn::Set(d, number), even));
  });
}

HWY_ATTR void Uniform(const Stream& stream, int64_t first, double* u) {
  ForPairs(Doubles(), stream, first, u, [](auto pair, uint64_t) HWY_ATTR { return simd::UniformOfPairs(pair); });
}

HWY_ATTR void Exponential(const Stream& stream, int64_t first, double* u) {
  ForPairs(Doubles(), stream, first, u, [](auto pair, uint64_t) HWY_ATTR {
    const Doubles d;
    const auto rest = hn::Sub(hn::Set(d, 1.0), simd::UniformOfPairs(pair));  // exact
    return hn::Abs(simd::LogOfScaled<false>(d, rest, hn::Zero(d)));
  });
}

SampleFunctions FunctionsHere() { return {Pairs, Uniform, Exponential}; }

}  // namespace portacl::ops::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::sample, FunctionsFor, (int64_t target), FunctionsHere)
