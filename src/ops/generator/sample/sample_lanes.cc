// SPDX-License-Identifier: Apache-2.0
#include "ops/generator/sample/sample_lanes.h"

#include <algorithm>
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

// The comparators of Batcher's odd-even merge sort, in an order in which they may follow each other.
struct Comparator {
  uint8_t first;
  uint8_t second;
};
constexpr size_t kComparators = 63;
struct Network {
  constexpr Network() {
    size_t count = 0;
    for (int64_t p = 1; p < kRows; p *= 2) {
      for (int64_t k = p; k >= 1; k /= 2) {
        for (int64_t j = k % p; j + k < kRows; j += 2 * k) {
          for (int64_t i = j; i < std::min(j + k, kRows - k); ++i) {
            if (i / (2 * p) == (i + k) / (2 * p))
              comparators[count++] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i + k)};
          }
        }
      }
    }
  }
  Comparator comparators[kComparators] = {};
};
constexpr Network kNetwork;

HWY_ATTR void SortColumns(uint32_t* table, int64_t columns, uint32_t low, uint8_t* alike) {
  const hn::CappedTag<uint32_t, kColumns> d;
  const auto high = hn::Set(d, ~low), ones = hn::Set(d, ~uint32_t{0});
  std::fill_n(alike, columns / kColumns, uint8_t{0});
  for (int64_t column = 0; column < columns; column += static_cast<int64_t>(hn::Lanes(d))) {
    uint32_t* const rows = table + column;
    for (const Comparator& comparator : kNetwork.comparators) {
      uint32_t* const first = rows + comparator.first * columns;
      uint32_t* const second = rows + comparator.second * columns;
      const auto a = hn::LoadU(d, first), b = hn::LoadU(d, second);
      hn::StoreU(hn::Min(a, b), d, first);
      hn::StoreU(hn::Max(a, b), d, second);
    }
    auto found = hn::Zero(d), before = hn::LoadU(d, rows);
    for (int64_t row = 1; row < kRows; ++row) {
      const auto next = hn::LoadU(d, rows + row * columns);
      const auto is_same = hn::Eq(hn::And(hn::Xor(before, next), high), hn::Zero(d));
      found = hn::Or(found, hn::IfThenElseZero(is_same, hn::Xor(before, ones)));
      before = next;
    }
    if (!hn::AllTrue(d, hn::Eq(found, hn::Zero(d)))) alike[column / kColumns] = 1;
  }
}

SampleFunctions FunctionsHere() { return {Pairs, Uniform, Exponential, SortColumns}; }

}  // namespace portacl::ops::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::sample, FunctionsFor, (int64_t target), FunctionsHere)
