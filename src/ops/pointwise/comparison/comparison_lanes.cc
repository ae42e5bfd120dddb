// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/comparison/comparison_lanes.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/comparison/comparison_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "base/tuning.h"
#include "families/byte_lanes.h"
#include "families/run_lanes.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::comparison::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

constexpr uint32_t kOne = 0x3F800000;  // the bits of 1.0

template <Order order, class V>
HWY_INLINE auto IsInOrder(V x, V y) {
  if constexpr (order == Order::kEq) return hn::Eq(x, y);
  if constexpr (order == Order::kNe) return hn::Not(hn::Eq(x, y));  // also for NaN
  if constexpr (order == Order::kGt) return hn::Lt(y, x);
  if constexpr (order == Order::kGe) return hn::Le(y, x);
  if constexpr (order == Order::kLt) return hn::Lt(x, y);
  if constexpr (order == Order::kLe) return hn::Le(x, y);
}

// These bits in lanes where the relation holds, otherwise 0.
template <Order order>
struct Compared {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::IfThenElseZero(IsInOrder<order>(x, y), hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), bits)));
  }
  template <class V>
  static HWY_INLINE auto Mask(V x, V y) {
    return IsInOrder<order>(x, y);
  }
  Compared Of(uint32_t other_bits) const { return {other_bits}; }
  uint32_t bits = 0;
};
template <Order order>
struct ComparedWithScalar {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Compared<order>{bits}(d, x, hn::Set(d, scalar));
  }
  template <class V>
  HWY_INLINE auto Mask(V x) const {
    return IsInOrder<order>(x, hn::Set(hn::DFromV<V>(), scalar));
  }
  ComparedWithScalar Of(uint32_t other_bits) const { return {scalar, other_bits}; }
  float scalar;
  uint32_t bits = 0;
};

// The bytes of a register of stored elements, each 1 or 0.
template <class T, class Kernel, class... V>
HWY_INLINE auto Bytes(const Kernel& kernel, V... in) {
  if constexpr (std::is_same_v<T, float>) {
    const hn::ScalableTag<int32_t> d;
    const auto stored = hn::BitCast(d, simd::Evaluate(simd::FloatLanes(), kernel.Of(1), in...));
    return hn::DemoteTo(hn::Rebind<uint8_t, decltype(d)>(), stored);
  } else if constexpr (!simd::kSplitsEvenAndOdd<T>) {
    // The lowest bit of the exponent of 1.0 is set in every dtype of 16 bits.
    const hn::ScalableTag<int16_t> d;
    const auto stored = hn::BitCast(d, simd::Apply<T>(kernel.Of(kOne), in...));
    return hn::DemoteTo(hn::Rebind<uint8_t, decltype(d)>(), hn::And(hn::ShiftRight<10>(stored), hn::Set(d, 1)));
  } else {
    // The halves are even and odd elements, so that narrowing them to 16 bits is exact.
    const simd::FloatLanes df;
    const simd::WordLanes dw;
    const hn::ScalableTag<int16_t> d;
    const auto even = hn::BitCast(dw, simd::Evaluate(df, kernel.Of(1), simd::WidenFirst<T>(in)...));
    const auto odd = hn::BitCast(dw, simd::Evaluate(df, kernel.Of(1u << 16), simd::WidenSecond<T>(in)...));
    return hn::DemoteTo(hn::Rebind<uint8_t, decltype(d)>(), hn::BitCast(d, hn::Or(even, odd)));
  }
}

#if HWY_TARGET == HWY_AVX3
// Compares four registers at a time and packs their masks into one register of bytes. Returns the end index.
template <class Kernel, class... In>
HWY_INLINE size_t CompareFourRegisters(const Kernel& kernel, size_t n, bool fetches, uint8_t* out, In... in) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint8_t> bytes;
  constexpr size_t kLanes = hn::MaxLanes(d);
  const auto mask = [&](size_t i) HWY_ATTR { return kernel.Mask(simd::LoadOperand(d, in, i)...).raw; };
  const int64_t ahead = fetches ? CurrentTuning().elementwise_prefetch_bytes : 0;
  size_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (size_t line = 0; fetches && line < 4; ++line) (simd::FetchAhead(in, i + line * kLanes, ahead), ...);
    const __mmask32 first = _mm512_kunpackw(mask(i + kLanes), mask(i));
    const __mmask32 second = _mm512_kunpackw(mask(i + 3 * kLanes), mask(i + 2 * kLanes));
    const hn::Vec<decltype(bytes)> ones{_mm512_maskz_set1_epi8(_mm512_kunpackd(second, first), 1)};
    hn::StoreU(ones, bytes, out + i);
  }
  return i;
}
#endif

template <class T, class Kernel, class... In>
HWY_INLINE void CompareRow(const Kernel& kernel, size_t n, bool fetches, uint8_t* out, In... in) {
  using E = simd::Stored<T>;
  const hn::ScalableTag<E> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const size_t lanes = hn::Lanes(d);
  const int64_t ahead = fetches ? CurrentTuning().elementwise_prefetch_bytes : 0;
  size_t i = 0;
#if HWY_TARGET == HWY_AVX3
  if constexpr (std::is_same_v<T, float>) i = CompareFourRegisters(kernel, n, fetches, out, in...);
#endif
  for (; i + lanes <= n; i += lanes) {
    if (fetches) (simd::FetchAhead(in, i, ahead), ...);
    hn::StoreU(Bytes<T>(kernel, simd::LoadOperand(d, in, i)...), bytes, out + i);
  }
  if (i == n) return;
  HWY_ALIGN uint8_t last[hn::MaxLanes(d)];
  hn::StoreU(Bytes<T>(kernel, simd::LoadOperandTail(d, in, i, n - i)...), bytes, last);
  std::memcpy(out + i, last, n - i);
}

template <class T, Order order>
HWY_ATTR void CompareTensors(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row)
    CompareRow<T>(Compared<order>(), static_cast<size_t>(tile.columns), tile.non_temporal, tile.Row<uint8_t>(2, row),
                  tile.Row<const E>(0, row), tile.Row<const E>(1, row));
}
template <class T, Order order>
HWY_ATTR void CompareWithScalar(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const ComparedWithScalar<order> kernel{static_cast<const families::Scalars<float>*>(tile.parameters)->values[0]};
  for (int64_t row = 0; row < tile.rows; ++row)
    CompareRow<T>(kernel, static_cast<size_t>(tile.columns), tile.non_temporal, tile.Row<uint8_t>(1, row),
                  tile.Row<const E>(0, row));
}

template <class T, Order order>
HWY_ATTR void CompareTensorsToSame(const loops::Tile& tile) {
  portacl::loops::HWY_NAMESPACE::MapRows<T, 2>(Compared<order>{kOne}, tile);
}
template <class T, Order order>
HWY_ATTR void CompareWithScalarToSame(const loops::Tile& tile) {
  const float scalar = static_cast<const families::Scalars<float>*>(tile.parameters)->values[0];
  portacl::loops::HWY_NAMESPACE::MapRows<T, 1>(ComparedWithScalar<order>{scalar, kOne}, tile);
}

// Combines bytes, where every nonzero byte is true; returns 1 or 0.
template <Combination combination>
struct Combined {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V one = hn::Set(d, 1);
    const V is_x = hn::Min(x, one), is_y = hn::Min(y, one);
    if constexpr (combination == Combination::kAnd) return hn::And(is_x, is_y);
    if constexpr (combination == Combination::kOr) return hn::Or(is_x, is_y);
    if constexpr (combination == Combination::kXor) return hn::Xor(is_x, is_y);
    if constexpr (combination == Combination::kNot) return hn::Xor(is_x, one);
  }
};

template <Combination combination>
HWY_ATTR void CombineBools(const loops::Tile& tile) {
  families::HWY_NAMESPACE::MapBytes<combination == Combination::kNot ? 1 : 2>(Combined<combination>(), tile);
}

loops::LaneFunction FindBoolLanes(Combination combination) {
  static constexpr loops::LaneFunction kFunctions[] = {
      &CombineBools<Combination::kAnd>, &CombineBools<Combination::kOr>, &CombineBools<Combination::kXor>,
      &CombineBools<Combination::kNot>};
  return kFunctions[static_cast<int>(combination)];
}

template <class T>
loops::LaneFunction FindToSameOf(Order order, bool with_scalar) {
#define PORTACL_ORDER(name) {&CompareTensorsToSame<T, Order::name>, &CompareWithScalarToSame<T, Order::name>}
  static constexpr loops::LaneFunction kFunctions[][2] = {PORTACL_ORDER(kEq), PORTACL_ORDER(kNe), PORTACL_ORDER(kGt),
                                                          PORTACL_ORDER(kGe), PORTACL_ORDER(kLt), PORTACL_ORDER(kLe)};
#undef PORTACL_ORDER
  return kFunctions[static_cast<int>(order)][with_scalar ? 1 : 0];
}

template <class T>
loops::LaneFunction FindOf(Order order, bool with_scalar) {
#define PORTACL_ORDER(name) {&CompareTensors<T, Order::name>, &CompareWithScalar<T, Order::name>}
  static constexpr loops::LaneFunction kFunctions[][2] = {PORTACL_ORDER(kEq), PORTACL_ORDER(kNe), PORTACL_ORDER(kGt),
                                                          PORTACL_ORDER(kGe), PORTACL_ORDER(kLt), PORTACL_ORDER(kLe)};
#undef PORTACL_ORDER
  return kFunctions[static_cast<int>(order)][with_scalar ? 1 : 0];
}

loops::LaneFunction FindLanes(Order order, bool with_scalar, aclDataType dtype) {
  if (dtype == ACL_FLOAT) return FindOf<float>(order, with_scalar);
  if (dtype == ACL_FLOAT16) return FindOf<hwy::float16_t>(order, with_scalar);
  return dtype == ACL_BF16 ? FindOf<hwy::bfloat16_t>(order, with_scalar) : nullptr;
}
loops::LaneFunction FindToSame(Order order, bool with_scalar, aclDataType dtype) {
  if (dtype == ACL_FLOAT) return FindToSameOf<float>(order, with_scalar);
  if (dtype == ACL_FLOAT16) return FindToSameOf<hwy::float16_t>(order, with_scalar);
  return dtype == ACL_BF16 ? FindToSameOf<hwy::bfloat16_t>(order, with_scalar) : nullptr;
}

}  // namespace portacl::ops::comparison::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::comparison, Lanes,
                       (Order order, bool with_scalar, aclDataType dtype, int64_t target), FindLanes, order,
                       with_scalar, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::comparison, LanesToSame,
                       (Order order, bool with_scalar, aclDataType dtype, int64_t target), FindToSame, order,
                       with_scalar, dtype)
PORTACL_DISPATCH_LANES(portacl::ops::comparison, BoolLanes, (Combination combination, int64_t target), FindBoolLanes,
                       combination)
