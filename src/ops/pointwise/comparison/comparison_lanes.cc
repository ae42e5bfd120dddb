// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/comparison/comparison_lanes.h"

#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/comparison/comparison_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::comparison::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// 1 where x and y are in that order, else 0.
template <Order order>
struct Compared {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V one = hn::Set(d, 1.0f);
    if constexpr (order == Order::kEq) return hn::IfThenElseZero(hn::Eq(x, y), one);
    if constexpr (order == Order::kNe) return hn::IfThenZeroElse(hn::Eq(x, y), one);
    if constexpr (order == Order::kGt) return hn::IfThenElseZero(hn::Lt(y, x), one);
    if constexpr (order == Order::kGe) return hn::IfThenElseZero(hn::Le(y, x), one);
    if constexpr (order == Order::kLt) return hn::IfThenElseZero(hn::Lt(x, y), one);
    if constexpr (order == Order::kLe) return hn::IfThenElseZero(hn::Le(x, y), one);
  }
};
template <Order order>
struct ComparedWithScalar {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Compared<order>()(d, x, hn::Set(d, scalar));
  }
  float scalar;
};

// Numbers that are 1 or 0, as they are stored, to bytes: the lowest bit of the exponent of 1 is set in every dtype.
template <class E, class V>
HWY_INLINE auto ToBytes(V stored) {
  using Integer = std::conditional_t<sizeof(E) == 4, int32_t, int16_t>;
  const hn::ScalableTag<Integer> d;
  constexpr int kLowestOfExponent = sizeof(E) == 4 ? 23 : 10;
  const auto bits = hn::ShiftRight<kLowestOfExponent>(hn::BitCast(d, stored));
  return hn::DemoteTo(hn::Rebind<uint8_t, decltype(d)>(), hn::And(bits, hn::Set(d, Integer{1})));
}

// The bytes of a register of stored elements. Where its halves are even and odd elements, their numbers become those
// of 16 bits without being rounded.
template <class T, class Kernel, class... V>
HWY_INLINE auto Bytes(const Kernel& kernel, V... in) {
  if constexpr (std::is_same_v<T, float> || !simd::kSplitsEvenAndOdd<T>) {
    return ToBytes<simd::Stored<T>>(simd::Apply<T>(kernel, in...));
  } else {
    const simd::FloatLanes df;
    const simd::WordLanes dw;
    const hn::ScalableTag<int16_t> d;
    const auto first = hn::BitCast(dw, simd::Evaluate(df, kernel, simd::WidenFirst<T>(in)...));
    const auto second = hn::BitCast(dw, simd::Evaluate(df, kernel, simd::WidenSecond<T>(in)...));
    const auto even = hn::And(hn::ShiftRight<23>(first), hn::Set(dw, 1));
    const auto odd = hn::And(hn::ShiftRight<7>(second), hn::Set(dw, 1u << 16));
    return hn::DemoteTo(hn::Rebind<uint8_t, decltype(d)>(), hn::BitCast(d, hn::Or(even, odd)));
  }
}

template <class T, class Kernel, class... In>
HWY_INLINE void CompareRow(const Kernel& kernel, size_t n, uint8_t* out, In... in) {
  using E = simd::Stored<T>;
  const hn::ScalableTag<E> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(Bytes<T>(kernel, simd::LoadOperand(d, in, i)...), bytes, out + i);
  if (i == n) return;
  HWY_ALIGN uint8_t last[hn::MaxLanes(d)];
  hn::StoreU(Bytes<T>(kernel, simd::LoadOperandTail(d, in, i, n - i)...), bytes, last);
  std::memcpy(out + i, last, n - i);
}

template <class T, Order order>
HWY_ATTR void CompareTensors(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row)
    CompareRow<T>(Compared<order>(), static_cast<size_t>(tile.columns), tile.Row<uint8_t>(2, row),
                  tile.Row<const E>(0, row), tile.Row<const E>(1, row));
}
template <class T, Order order>
HWY_ATTR void CompareWithScalar(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const ComparedWithScalar<order> kernel{static_cast<const families::Scalars<float>*>(tile.parameters)->values[0]};
  for (int64_t row = 0; row < tile.rows; ++row)
    CompareRow<T>(kernel, static_cast<size_t>(tile.columns), tile.Row<uint8_t>(1, row), tile.Row<const E>(0, row));
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

}  // namespace portacl::ops::comparison::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::comparison {

loops::LaneFunction Lanes(Order order, bool with_scalar, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(FindLanes, target)(order, with_scalar, dtype);
}

}  // namespace portacl::ops::comparison
#endif  // HWY_ONCE
