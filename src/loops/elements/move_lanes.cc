// SPDX-License-Identifier: Apache-2.0
#include "loops/elements/move_lanes.h"

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/elements/move_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR void StreamBytes(const std::byte* from, std::byte* to, int64_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto* in = reinterpret_cast<const uint8_t*>(from);
  auto* out = reinterpret_cast<uint8_t*>(to);
  const auto count = static_cast<size_t>(bytes);
  const size_t lanes = hn::Lanes(d);
  const size_t head = std::min(count, (lanes - reinterpret_cast<uintptr_t>(out) % lanes) % lanes);
  if (head != 0) std::memcpy(out, in, head);  // the call alone takes as long as a short row
  size_t i = head;
  for (; i + lanes <= count; i += lanes) hn::Stream(hn::LoadU(d, in + i), d, out + i);
  if (i != count) std::memcpy(out + i, in + i, count - i);
}

HWY_ATTR void FillBytes(const std::byte* from, std::byte* to, int64_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto count = static_cast<size_t>(bytes);
  const size_t lanes = hn::Lanes(d);
  auto* const out = reinterpret_cast<uint8_t*>(to);
  const auto v = hn::LoadDup128(d, reinterpret_cast<const uint8_t*>(from));
  size_t i = 0;
#pragma GCC unroll 4
  for (; i + lanes <= count; i += lanes) hn::StoreU(v, d, out + i);
  HWY_ALIGN uint8_t last[HWY_LANES(uint8_t)];
  hn::Store(v, d, last);
  std::memcpy(out + i, last, count - i);
}

template <class D>
HWY_INLINE hn::Vec<D> Reversed(D d, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) > 1) {
    return hn::Reverse(d, v);
  } else {  // Highway reverses no bytes
    const hn::Repartition<uint16_t, D> pairs;
    const auto reversed = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(reversed), hn::ShiftRight<8>(reversed)));
  }
}

template <class T>
HWY_ATTR void ReverseElements(const std::byte* from, std::byte* to, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  const auto move = [=](int64_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, reinterpret_cast<const T*>(from - (i + lanes - 1) * kBytes));
    hn::StoreU(Reversed(d, v), d, reinterpret_cast<T*>(to + i * kBytes));
  };
  if (n < lanes) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * kBytes, from - i * kBytes, sizeof(T));
    return;
  }
  for (int64_t i = 0; i + lanes < n; i += lanes) move(i);
  move(n - lanes);
}

MoveFunction FindReverse(int64_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return ReverseElements<uint8_t>;
    case 2:
      return ReverseElements<uint16_t>;
    case 4:
      return ReverseElements<uint32_t>;
    case 8:
      return ReverseElements<uint64_t>;
    default:
      return nullptr;
  }
}

MoveFunction FindStream() { return StreamBytes; }
MoveFunction FindFill() { return FillBytes; }

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops, StreamLanes, (int64_t target), FindStream)
PORTACL_DISPATCH_LANES(portacl::loops, FillLanes, (int64_t target), FindFill)
PORTACL_DISPATCH_LANES(portacl::loops, ReverseLanes, (int64_t element_bytes, int64_t target), FindReverse,
                       element_bytes)
