// SPDX-License-Identifier: Apache-2.0
//
// Two passes over a group, or three if its mean is large; the last one goes channel by channel.
#include "ops/normalization/group_norm/group_norm_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/group_norm/group_norm_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/norm_rows.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::group_norm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace norm = portacl::families::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using norm::FloatLanes;
using norm::FloatVector;
using norm::Stored;

// Elements of one channel.
template <class T>
struct ChannelElements {
  static constexpr bool kTakesEveryOther = std::is_same_v<T, hwy::bfloat16_t>;
  const Stored<T>* self;
  norm::NormalScale scale;
  float gamma;
  float beta;

  template <class... Place>
  PORTACL_LANE_INLINE FloatVector operator()(Place... place) const {
    const FloatLanes d;
    return hn::MulAdd(scale.NormalOf(norm::LoadAt<T>(self, place...)), hn::Set(d, gamma), hn::Set(d, beta));
  }
};

template <class T>
HWY_INLINE float ParameterOf(const Stored<T>* parameters, size_t i, float otherwise) {
  return parameters == nullptr ? otherwise : hn::GetLane(simd::LoadFloats<T>(parameters + i, 1));
}

template <class T>
HWY_ATTR void GroupNorm(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const GroupNormParameters*>(tile.parameters);
  const auto n = static_cast<size_t>(tile.columns);
  const auto channels = static_cast<size_t>(parameters.channels);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto* const self = tile.Row<const Stored<T>>(0, row);
    const auto* const gamma = tile.Row<const Stored<T>>(1, row);
    const auto* const beta = tile.Row<const Stored<T>>(2, row);
    auto* const out = tile.Row<Stored<T>>(3, row);
    const norm::Moments moments = norm::MomentsOf<T>(self, n);
    const float rstd = norm::ReciprocalRoot(moments.variance, parameters.eps);
    *tile.Row<float>(4, row) = static_cast<float>(moments.mean);
    *tile.Row<float>(5, row) = rstd;
    const norm::NormalScale scale(moments.mean, rstd);
    if (channels == 0) {
      norm::StoreNormalElements<T, T>(out, n, tile.non_temporal, self, gamma, beta, scale);
    }
    for (size_t channel = 0; channel < channels; ++channel) {
      const size_t size = n / channels;
      norm::StoreElements<T>(out + channel * size, size, tile.non_temporal,
                             ChannelElements<T>{self + channel * size, scale, ParameterOf<T>(gamma, channel, 1),
                                                ParameterOf<T>(beta, channel, 0)});
    }
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindLanes(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return GroupNorm<T>; });
}

}  // namespace portacl::ops::group_norm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::group_norm, GroupNormLanes, (aclDataType dtype, int64_t target), FindLanes, dtype)
