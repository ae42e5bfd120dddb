// SPDX-License-Identifier: Apache-2.0
#include "ops/generator/dropout/dropout_lanes.h"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/generator/dropout/dropout_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"
#include "simd/philox.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::dropout::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using Counters = simd::Counters;
using Words = hn::Repartition<uint32_t, Counters>;

HWY_ATTR void Generate(const Stream& stream, int64_t first, uint32_t end, uint8_t* bits) {
  const Counters d;
  const Words words;
  const hn::RebindToSigned<Words> integers;
  const size_t lanes = hn::Lanes(words);
  HWY_ALIGN uint64_t pairs[2 * hn::MaxLanes(Counters())];
  const auto limit = hn::Set(integers, static_cast<int32_t>(end) - 1);
  auto counter = static_cast<uint64_t>(first) / 4;
  for (size_t i = 0; i < static_cast<size_t>(kBlock); i += 2 * lanes, counter += lanes / 2) {
    hn::Vec<Counters> a, b;
    simd::Philox(stream.seed, stream.offset, counter, a, b);
    hn::StoreInterleaved2(a, b, d, pairs);
    for (size_t at = 0; at < 2 * lanes; at += lanes) {
      const auto word = hn::ShiftRight<8>(hn::BitCast(words, hn::Load(d, pairs + at / 2)));
      const auto is_kept = hn::Gt(hn::BitCast(integers, word), limit);
      if (lanes >= 8) {
        hn::StoreMaskBits(integers, is_kept, bits + (i + at) / 8);
        continue;
      }
      uint8_t part[8] = {};
      hn::StoreMaskBits(integers, is_kept, part);
      uint8_t& byte = bits[(i + at) / 8];
      byte = static_cast<uint8_t>((i + at) % 8 == 0 ? part[0] : byte | part[0] << (i + at) % 8);
    }
  }
}

// The product of floats, rounded to the odd one of two neighbours where it is neither: the last bit of float32 then
// stands for all that follow. Of the nearest, the one that is closer to 0 is taken first.
template <class D, class V>
HWY_INLINE V OddProduct(D d, V x, float factor) {
  const hn::RepartitionToWide<D> wide;
  const hn::Half<D> half;
  const hn::RebindToUnsigned<decltype(half)> words;
  const auto product = [&](auto part) HWY_ATTR {
    const auto exact = hn::Mul(hn::PromoteTo(wide, part), hn::Set(wide, static_cast<double>(factor)));
    const auto nearest = hn::DemoteTo(half, exact);
    const auto back = hn::PromoteTo(wide, nearest);
    const auto all_ones = [&](auto mask) HWY_ATTR {
      return hn::TruncateTo(words, hn::BitCast(hn::RebindToUnsigned<decltype(wide)>(), hn::VecFromMask(wide, mask)));
    };
    const auto closer = hn::Add(hn::BitCast(words, nearest), all_ones(hn::Gt(hn::Abs(back), hn::Abs(exact))));
    const auto last = hn::And(all_ones(hn::Ne(back, exact)), hn::Set(words, uint32_t{1}));
    return hn::BitCast(half, hn::Or(closer, last));
  };
  return hn::Combine(d, product(hn::UpperHalf(half, x)), product(hn::LowerHalf(half, x)));
}

HWY_ATTR void Apply(const uint8_t* bits, bool to_odd, float factor, int64_t n, float* values) {
  const hn::CappedTag<float, 64> d;
  const size_t lanes = hn::Lanes(d);
  const auto count = static_cast<size_t>(n);
  for (size_t i = 0; i < count; i += lanes) {
    const uint8_t part[8] = {static_cast<uint8_t>(bits[i / 8] >> i % 8)};
    const auto is_kept = hn::LoadMaskBits(d, lanes >= 8 ? bits + i / 8 : part);
    const size_t left = count - i;
    const auto x = left >= lanes ? hn::LoadU(d, values + i) : simd::LoadTail(d, values + i, left);
    const auto product = to_odd ? OddProduct(d, x, factor) : hn::Mul(x, hn::Set(d, factor));
    const auto result = hn::IfThenElseZero(is_kept, product);
    if (left >= lanes) {
      hn::StoreU(result, d, values + i);
    } else {
      simd::StoreTail(d, result, values + i, left);
    }
  }
}

DropoutFunctions FunctionsHere() { return {Generate, Apply}; }

}  // namespace portacl::ops::dropout::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::dropout, FunctionsFor, (int64_t target), FunctionsHere)
