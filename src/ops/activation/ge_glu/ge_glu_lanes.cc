// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/ge_glu/ge_glu_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/ge_glu/ge_glu_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "loops/elements/for_float.h"
#include "simd/dispatch.h"
#include "simd/gelu.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ge_glu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

template <bool kTanh, class D, class V>
HWY_INLINE V GeluOf(D d, V x) {
  if constexpr (kTanh) return simd::GeluOfTanh(d, x);
  return simd::Gelu(d, x);
}

template <bool kTanh, class D, class V>
HWY_INLINE V SlopeOf(D d, V x) {
  if constexpr (kTanh) return simd::GeluOfTanhSlope(d, x);
  return simd::GeluSlope(d, x);
}

template <bool kTanh>
struct Gelu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V activated, V /*other*/) const {
    return GeluOf<kTanh>(d, activated);
  }
};

template <bool kTanh>
struct GatedGelu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V activated, V other) const {
    return hn::Mul(GeluOf<kTanh>(d, activated), other);
  }
};

template <bool kTanh>
struct GradientOfActivated {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V activated, V other, V grad, V /*gelu*/) const {
    return hn::Mul(hn::Mul(grad, other), SlopeOf<kTanh>(d, activated));
  }
};

struct GradientOfOther {
  template <class D, class V>
  HWY_INLINE V operator()(D, V /*activated*/, V /*other*/, V grad, V gelu) const {
    return hn::Mul(grad, gelu);
  }
};

template <class T, bool kTanh>
HWY_ATTR void Forward(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    simd::MapTwo<T>(GatedGelu<kTanh>(), Gelu<kTanh>(), n, tile.non_temporal, tile.Row<E>(2, row), tile.Row<E>(3, row),
                    tile.Row<const E>(0, row), tile.Row<const E>(1, row));
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T, bool kTanh>
HWY_ATTR void Backward(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    simd::MapTwo<T>(GradientOfActivated<kTanh>(), GradientOfOther(), n, tile.non_temporal, tile.Row<E>(4, row),
                    tile.Row<E>(5, row), tile.Row<const E>(0, row), tile.Row<const E>(1, row),
                    tile.Row<const E>(2, row), tile.Row<const E>(3, row));
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindForward(aclDataType dtype, bool is_tanh) {
  return loops::ForFloat(dtype, [=]<class T>() { return is_tanh ? Forward<T, true> : Forward<T, false>; });
}
loops::LaneFunction FindBackward(aclDataType dtype, bool is_tanh) {
  return loops::ForFloat(dtype, [=]<class T>() { return is_tanh ? Backward<T, true> : Backward<T, false>; });
}

}  // namespace portacl::ops::ge_glu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::ge_glu, GeGluLanes, (aclDataType dtype, bool is_tanh, int64_t target), FindForward,
                       dtype, is_tanh)
PORTACL_DISPATCH_LANES(portacl::ops::ge_glu, GeGluBackwardLanes, (aclDataType dtype, bool is_tanh, int64_t target),
                       FindBackward, dtype, is_tanh)
