// SPDX-License-Identifier: Apache-2.0
#include "loops/elements/stride_lanes.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "simd/strided_copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/elements/stride_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The stride is constant, so the compiler loads whole registers and shuffles.
template <size_t kBytes, int64_t kStride>
HWY_ATTR void Gather(const std::byte* HWY_RESTRICT from, std::byte* HWY_RESTRICT to, int64_t n) {
  using Word = typename simd::strided_copy::WordOf<kBytes>::Type;
  const auto* const source = reinterpret_cast<const Word*>(from);
  auto* const target = reinterpret_cast<Word*>(to);
  for (int64_t i = 0; i < n; ++i) target[i] = source[i * kStride];
}

#if HWY_TARGET <= HWY_AVX3

// Stores the elements whose places lie in the part `kPart` of the target, one of kStride parts of a register's size.
template <int64_t kPart, int64_t kStride, class D, class Vector, size_t... kLane>
HWY_INLINE void StorePart(D d, Vector elements, hn::TFromD<D>* to, std::index_sequence<kLane...>) {
  constexpr auto kLanes = static_cast<int64_t>(sizeof...(kLane));
  constexpr uint64_t kMask =
      (((kPart * kLanes + static_cast<int64_t>(kLane)) % kStride == 0 ? uint64_t{1} << kLane : 0) | ...);
  const Vector spread = __builtin_shufflevector(
      elements, elements, ((kPart * kLanes + static_cast<int64_t>(kLane) + kStride - 1) / kStride % kLanes)...);
  hn::Vec<D> v;
  std::memcpy(&v, &spread, sizeof(v));
  hn::BlendedStore(v, hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&kMask)), d, to + kPart * kLanes);
}

template <class T, int64_t kStride, size_t... kPart>
HWY_INLINE void StoreParts(const T* from, T* to, std::index_sequence<kPart...>) {
  const hn::ScalableTag<T> d;
  typedef T Vector __attribute__((vector_size(sizeof(hn::Vec<decltype(d)>))));
  Vector elements;
  std::memcpy(&elements, from, sizeof(elements));
  (StorePart<static_cast<int64_t>(kPart), kStride>(d, elements, to, std::make_index_sequence<HWY_LANES(T)>()), ...);
}

template <class T, int64_t kStride>
HWY_ATTR void Scatter(const std::byte* from, std::byte* to, int64_t n) {
  const auto* const source = reinterpret_cast<const T*>(from);
  auto* const target = reinterpret_cast<T*>(to);
  constexpr auto kLanes = static_cast<int64_t>(HWY_LANES(T));
  // Masked stores to memory wait for each line: a stack of 64 MiB along its last axis took 17 ms without, and 11 with
  // it.
  constexpr int64_t kAhead = 2048 / static_cast<int64_t>(sizeof(T));
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t part = 1; part <= kStride; ++part)
      __builtin_prefetch(target + i * kStride + part * kLanes + kAhead, 1);
    StoreParts<T, kStride>(source + i, target + i * kStride, std::make_index_sequence<kStride>());
  }
  for (; i < n; ++i) std::memcpy(target + i * kStride, source + i, sizeof(T));
}

template <class T>
MoveFunction ScatterOf(int64_t stride) {
  return stride == 2 ? Scatter<T, 2> : stride == 3 ? Scatter<T, 3> : stride == 4 ? Scatter<T, 4> : nullptr;
}

#endif  // HWY_TARGET <= HWY_AVX3

MoveFunction FindScatter([[maybe_unused]] int64_t element_bytes, [[maybe_unused]] int64_t stride) {
#if HWY_TARGET <= HWY_AVX3
  if (element_bytes == 2) return ScatterOf<uint16_t>(stride);
  if (element_bytes == 4) return ScatterOf<uint32_t>(stride);
  if (element_bytes == 8) return ScatterOf<uint64_t>(stride);
#endif
  return nullptr;
}

template <size_t kBytes>
MoveFunction GatherOf(int64_t stride) {
  return stride == 2 ? Gather<kBytes, 2> : stride == 3 ? Gather<kBytes, 3> : stride == 4 ? Gather<kBytes, 4> : nullptr;
}

MoveFunction FindGather(int64_t element_bytes, int64_t stride) {
#if HWY_ARCH_X86 && HWY_TARGET > HWY_SSE4
  element_bytes = 0;  // GCC 12 takes eight times as long as for single elements
#endif
  switch (element_bytes) {
    case 1:
      return GatherOf<1>(stride);
    case 2:
      return GatherOf<2>(stride);
    case 4:
      return GatherOf<4>(stride);
    case 8:
      return GatherOf<8>(stride);
    default:
      return nullptr;
  }
}

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops, GatherLanes, (int64_t element_bytes, int64_t stride, int64_t target), FindGather,
                       element_bytes, stride)
PORTACL_DISPATCH_LANES(portacl::loops, ScatterLanes, (int64_t element_bytes, int64_t stride, int64_t target),
                       FindScatter, element_bytes, stride)
