// SPDX-License-Identifier: Apache-2.0
//
// Two passes over a row, of which only the first finds it outside the first-level cache; three if its mean is large.
#include "ops/normalization/layer_norm/layer_norm_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/layer_norm/layer_norm_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/norm_rows.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::layer_norm::HWY_NAMESPACE {
namespace norm = portacl::families::HWY_NAMESPACE;
using norm::Stored;

template <class T, class P>
HWY_ATTR void LayerNorm(const loops::Tile& tile) {
  const float eps = static_cast<const LayerNormParameters*>(tile.parameters)->eps;
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto* const input = tile.Row<const Stored<T>>(0, row);
    const norm::Moments moments = norm::MomentsOf<T>(input, n);
    const float rstd = norm::ReciprocalRoot(moments.variance, eps);
    *tile.Row<float>(4, row) = static_cast<float>(moments.mean);
    *tile.Row<float>(5, row) = rstd;
    auto* const out = tile.Row<Stored<T>>(3, row);
    const auto* const weight = tile.Row<const Stored<P>>(1, row);
    const auto* const bias = tile.Row<const Stored<P>>(2, row);
    const norm::NormalScale scale(moments.mean, rstd);
    norm::StoreNormalElements<T, P>(out, n, tile.non_temporal, input, weight, bias, scale);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindLanes(aclDataType dtype, aclDataType parameters) {
  return loops::ForFloat(dtype, [=]<class T>() { return parameters == dtype ? LayerNorm<T, T> : LayerNorm<T, float>; });
}

}  // namespace portacl::ops::layer_norm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::layer_norm, LayerNormLanes,
                       (aclDataType dtype, aclDataType parameters, int64_t target), FindLanes, dtype, parameters)
