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

// Stores convert(pairs) of the elements [first, first + kBlock).
template <class D, class T, class F>
HWY_INLINE void ForPairs(D d, const Stream& stream, int64_t first, T* to, const F& convert) {
  const size_t lanes = hn::Lanes(d);
  auto counter = static_cast<uint64_t>(first) / 2;
  for (size_t i = 0; i < static_cast<size_t>(kBlock); i += 2 * lanes, counter += lanes) {
    hn::Vec<Counters> a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    hn::StoreInterleaved2(convert(a), convert(b), d, to + i);
  }
}

HWY_ATTR void Pairs(const Stream& stream, int64_t first, uint64_t* pairs) {
  ForPairs(Counters(), stream, first, pairs, [](auto pair) HWY_ATTR { return pair; });
}

HWY_ATTR void Uniform(const Stream& stream, int64_t first, double* u) {
  ForPairs(Doubles(), stream, first, u, [](auto pair) HWY_ATTR { return simd::UniformOfPairs(pair); });
}

HWY_ATTR void Exponential(const Stream& stream, int64_t first, double* u) {
  ForPairs(Doubles(), stream, first, u, [](auto pair) HWY_ATTR {
    const Doubles d;
    const auto rest = hn::Sub(hn::Set(d, 1.0), simd::UniformOfPairs(pair));  // exact
    return hn::Abs(simd::LogOfScaled<false>(d, rest, hn::Zero(d)));
  });
}

SampleFunctions FunctionsHere() { return {Pairs, Uniform, Exponential}; }

}  // namespace portacl::ops::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::sample, FunctionsFor, (int64_t target), FunctionsHere)
