// SPDX-License-Identifier: Apache-2.0
#include "bench/stream_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/stream_lanes.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool kNonTemporal, class D, class V>
HWY_INLINE void Write(D d, V v, uint8_t* to) {
  if constexpr (kNonTemporal) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

// Four registers of one stream, then of the next: with one at a time, the first-level cache reached only four fifths of
// its speed on Zen 4.
template <int kReads, int kWrites, bool kNonTemporal>
HWY_ATTR uint8_t Pass(const uint8_t* const* read, uint8_t* const* write, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  for (size_t i = 0; i < bytes; i += 4 * lanes) {
    auto a = hn::LoadU(d, read[0] + i);
    auto b = hn::LoadU(d, read[0] + i + lanes);
    auto c = hn::LoadU(d, read[0] + i + 2 * lanes);
    auto e = hn::LoadU(d, read[0] + i + 3 * lanes);
    for (int stream = 1; stream < kReads; ++stream) {
      a = hn::Xor(a, hn::LoadU(d, read[stream] + i));
      b = hn::Xor(b, hn::LoadU(d, read[stream] + i + lanes));
      c = hn::Xor(c, hn::LoadU(d, read[stream] + i + 2 * lanes));
      e = hn::Xor(e, hn::LoadU(d, read[stream] + i + 3 * lanes));
    }
    if constexpr (kWrites == 0) sum = hn::Xor(hn::Xor(sum, hn::Xor(a, b)), hn::Xor(c, e));
    for (int stream = 0; stream < kWrites; ++stream) {
      Write<kNonTemporal>(d, a, write[stream] + i);
      Write<kNonTemporal>(d, b, write[stream] + i + lanes);
      Write<kNonTemporal>(d, c, write[stream] + i + 2 * lanes);
      Write<kNonTemporal>(d, e, write[stream] + i + 3 * lanes);
    }
  }
  if constexpr (kNonTemporal) hwy::FlushStream();
  return hn::GetLane(sum);
}

template <int kReads>
StreamPass ForWrites(int64_t writes, bool non_temporal) {
  switch (writes) {
    case 0:
      return Pass<kReads, 0, false>;
    case 1:
      return non_temporal ? Pass<kReads, 1, true> : Pass<kReads, 1, false>;
    case 2:
      return non_temporal ? Pass<kReads, 2, true> : Pass<kReads, 2, false>;
    default:
      return nullptr;
  }
}

StreamPass Find(int64_t reads, int64_t writes, bool non_temporal) {
  switch (reads) {
    case 1:
      return ForWrites<1>(writes, non_temporal);
    case 2:
      return ForWrites<2>(writes, non_temporal);
    case 3:
      return ForWrites<3>(writes, non_temporal);
    case 4:
      return ForWrites<4>(writes, non_temporal);
    case 5:
      return ForWrites<5>(writes, non_temporal);
    default:
      return nullptr;
  }
}

}  // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/target.h"
#include "simd/dispatch.h"

namespace bench {

StreamPass FindStreamPass(int64_t reads, int64_t writes, bool non_temporal) {
  return PORTACL_FOR_TARGET(Find, portacl::ActiveTarget())(reads, writes, non_temporal);
}

}  // namespace bench
#endif  // HWY_ONCE
