// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/compact_lanes.h"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/moves/compact_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::moves::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether a register is compressed by an instruction. Elsewhere Highway 1.0.3 looks permutations up in a table that it
// copies to the stack each time: a third of 1 Mi elements took 3.4 ms for DOUBLE with AVX-512 and 2.2 ms for FLOAT with
// AVX2; one by one, both take 0.3 ms (Zen 4, 2026-11-29).
template <class T>
constexpr bool kCompresses = (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) && sizeof(T) < 8;

// Calls f(position) for the bits that are set, from `first` on, until `count` are found.
template <class F>
HWY_INLINE void ForEachBit(const uint8_t* bits, int64_t first, int64_t count, const F& f) {
  for (int64_t word_at = first / 64 * 64; count > 0; word_at += 64) {
    uint64_t word;
    std::memcpy(&word, bits + word_at / 8, sizeof(word));
    if (word_at < first) word &= ~uint64_t{0} << (first - word_at);
    for (; word != 0 && count > 0; word &= word - 1, --count) f(word_at + std::countr_zero(word));
  }
}

template <class D>
HWY_INLINE auto IsSignificant(D d, const hn::TFromD<D>* from, hn::TFromD<D> significant) {
  return hn::Ne(hn::And(hn::LoadU(d, from), hn::Set(d, significant)), hn::Zero(d));
}

// The bits of a whole register, from bit i on, which is a multiple of its lanes.
template <class D>
HWY_INLINE auto MaskAt(D d, const uint8_t* bits, size_t i) {
  if (hn::Lanes(d) >= 8) return hn::LoadMaskBits(d, bits + i / 8);
  const uint8_t part[8] = {static_cast<uint8_t>(bits[i / 8] >> (i % 8))};
  return hn::LoadMaskBits(d, part);
}

template <class T>
HWY_ATTR void Test(const std::byte* elements, int64_t n, uint64_t significant, uint8_t* bits) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto count = static_cast<size_t>(n);
  const auto* const from = reinterpret_cast<const T*>(elements);
  const auto kept = static_cast<T>(significant);
  size_t i = 0;
  if (lanes >= 8) {
    for (; i + lanes <= count; i += lanes) hn::StoreMaskBits(d, IsSignificant(d, from + i, kept), bits + i / 8);
  } else {
    for (; i + 8 <= count; i += 8) {
      uint8_t eight = 0;
      for (size_t at = 0; at < 8; at += lanes) {
        uint8_t part[8] = {};
        hn::StoreMaskBits(d, IsSignificant(d, from + i + at, kept), part);
        eight = static_cast<uint8_t>(eight | part[0] << at);
      }
      bits[i / 8] = eight;
    }
  }
  std::memset(bits + i / 8, 0, (count + 511) / 512 * 64 - i / 8);
  for (; i < count; ++i) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | ((from[i] & kept) != 0) << (i % 8));
}

HWY_ATTR int64_t Count(const uint8_t* bits, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i += 64) {
    uint64_t word;
    std::memcpy(&word, bits + i / 8, sizeof(word));
    count += std::popcount(word);
  }
  return count;
}

HWY_ATTR int64_t Positions(const uint8_t* bits, int64_t n, uint32_t* to) {
  if constexpr (!kCompresses<uint32_t>) {
    const hn::CappedTag<uint32_t, 64> d;
    const auto first = hn::Iota(d, 0);
    const uint32_t* const begin = to;
    for (int64_t at = 0; at < n; at += 64) {
      uint64_t word;
      std::memcpy(&word, bits + at / 8, sizeof(word));
      if (word == ~uint64_t{0}) {
        for (size_t i = 0; i < 64; i += hn::Lanes(d), to += hn::Lanes(d))
          hn::StoreU(hn::Add(first, hn::Set(d, static_cast<uint32_t>(at) + static_cast<uint32_t>(i))), d, to);
        continue;
      }
      for (; word != 0; word &= word - 1) *to++ = static_cast<uint32_t>(at + std::countr_zero(word));
    }
    return to - begin;
  }
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  auto here = hn::Iota(d, 0);
  size_t found = 0;
  for (size_t i = 0; i < static_cast<size_t>(n); i += lanes) {
    const auto mask = MaskAt(d, bits, i);
    hn::StoreU(hn::Compress(here, mask), d, to + found);
    found += hn::CountTrue(d, mask);
    here = hn::Add(here, hn::Set(d, static_cast<uint32_t>(lanes)));
  }
  return static_cast<int64_t>(found);
}

HWY_ATTR void Widen(const uint32_t* positions, int64_t n, int64_t first, int64_t* to) {
  const hn::ScalableTag<int64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> narrow;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto wide = hn::PromoteTo(hn::RebindToUnsigned<decltype(d)>(), hn::LoadU(narrow, positions + i));
    hn::StoreU(hn::Add(hn::BitCast(d, wide), hn::Set(d, first)), d, to + i);
  }
  for (; i < n; ++i) to[i] = first + positions[i];
}

// Whole registers are stored as long as what they write behind the elements is written again. Storing only those lanes
// that are set takes some hundred cycles on Zen 4.
template <class T>
HWY_ATTR void CompressTo(const std::byte* elements, const uint8_t* bits, int64_t n, int64_t count, std::byte* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const from = reinterpret_cast<const T*>(elements);
  auto* const out = reinterpret_cast<T*>(to);
  int64_t found = 0;
  int64_t i = 0;
  for (; kCompresses<T> && i + lanes <= n && found + lanes <= count; i += lanes) {
    const auto mask = MaskAt(d, bits, static_cast<size_t>(i));
    hn::StoreU(hn::Compress(hn::LoadU(d, from + i), mask), d, out + found);
    found += static_cast<int64_t>(hn::CountTrue(d, mask));
  }
  ForEachBit(bits, i, count - found, [&](int64_t at) HWY_ATTR { out[found++] = from[at]; });
}

CompactLanes FindCompact(int64_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return {Test<uint8_t>, Count, Positions, Widen, CompressTo<uint8_t>};
    case 2:
      return {Test<uint16_t>, Count, Positions, Widen, CompressTo<uint16_t>};
    case 4:
      return {Test<uint32_t>, Count, Positions, Widen, CompressTo<uint32_t>};
    default:
      return {Test<uint64_t>, Count, Positions, Widen, CompressTo<uint64_t>};
  }
}

}  // namespace portacl::loops::moves::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::moves, CompactLanesOf, (int64_t element_bytes, int64_t target), FindCompact,
                       element_bytes)
