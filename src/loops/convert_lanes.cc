// SPDX-License-Identifier: Apache-2.0
#include "loops/convert_lanes.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/convert_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// A register of 16-bit elements, whose two halves go to floats in the order of the elements.
template <class T>
HWY_INLINE void WidenRegister(simd::HalfVector v, float* to) {
  const simd::FloatLanes d;
  const simd::FloatVector first = simd::WidenFirst<T>(v);
  const simd::FloatVector second = simd::WidenSecond<T>(v);
  if constexpr (simd::kSplitsEvenAndOdd<T>) {
    hn::StoreInterleaved2(first, second, d, to);
  } else {
    hn::StoreU(first, d, to);
    hn::StoreU(second, d, to + hn::Lanes(d));
  }
}

template <class T>
HWY_INLINE simd::HalfVector NarrowRegister(const float* from) {
  const simd::FloatLanes d;
  simd::FloatVector first = hn::Undefined(d);
  simd::FloatVector second = hn::Undefined(d);
  if constexpr (simd::kSplitsEvenAndOdd<T>) {
    hn::LoadInterleaved2(d, from, first, second);
  } else {
    first = hn::LoadU(d, from);
    second = hn::LoadU(d, from + hn::Lanes(d));
  }
  return simd::Narrow<T>(first, second);
}

template <class T>
HWY_ATTR void Widen(const std::byte* from, std::byte* to, int64_t n) {
  const simd::HalfLanes d;
  const auto* in = reinterpret_cast<const uint16_t*>(from);
  auto* out = reinterpret_cast<float*>(to);
  const auto count = static_cast<size_t>(n);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) WidenRegister<T>(hn::LoadU(d, in + i), out + i);
  if (i == count) return;
  HWY_ALIGN float buffer[HWY_LANES(uint16_t)];
  WidenRegister<T>(simd::LoadTail(d, in + i, count - i), buffer);
  std::copy(buffer, buffer + (count - i), out + i);
}

template <class T>
HWY_ATTR void Narrow(const std::byte* from, std::byte* to, int64_t n) {
  const simd::HalfLanes d;
  const auto* in = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<uint16_t*>(to);
  const auto count = static_cast<size_t>(n);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(NarrowRegister<T>(in + i), d, out + i);
  if (i == count) return;
  HWY_ALIGN float buffer[HWY_LANES(uint16_t)] = {};
  std::copy(in + i, in + count, buffer);
  simd::StoreTail(d, NarrowRegister<T>(buffer), out + i, count - i);
}

HWY_ATTR void ToDouble(const std::byte* from, std::byte* to, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto* in = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<double*>(to);
  const auto count = static_cast<size_t>(n);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::PromoteTo(d, hn::LoadU(df, in + i)), d, out + i);
  simd::StoreTail(d, hn::PromoteTo(d, simd::LoadTail(df, in + i, count - i)), out + i, count - i);
}

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::loops {

ConvertFunction WidenLanes(aclDataType from, int64_t target) {
  if (from == ACL_FLOAT16) return PORTACL_FOR_TARGET(Widen<hwy::float16_t>, target);
  return PORTACL_FOR_TARGET(Widen<hwy::bfloat16_t>, target);
}

ConvertFunction StoreLanes(aclDataType to, int64_t target) {
  if (to == ACL_FLOAT16) return PORTACL_FOR_TARGET(Narrow<hwy::float16_t>, target);
  if (to == ACL_BF16) return PORTACL_FOR_TARGET(Narrow<hwy::bfloat16_t>, target);
  return PORTACL_FOR_TARGET(ToDouble, target);
}

}  // namespace portacl::loops
#endif  // HWY_ONCE
