// SPDX-License-Identifier: Apache-2.0
//
// Two passes over a row, of which only the first finds it outside the first-level cache. AddRmsNorm keeps the sum of
// its inputs in scratch, as either output may be one of them.
#include "ops/normalization/rms_norm/rms_norm_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/rms_norm/rms_norm_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/norm_rows.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::rms_norm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace norm = portacl::families::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using norm::FloatLanes;
using norm::FloatVector;
using norm::Stored;

// Elements of T from a row of X.
template <class T, class X, class P>
struct Results {
  static constexpr bool kTakesEveryOther =
      std::is_same_v<T, hwy::bfloat16_t> && std::is_same_v<X, T> && std::is_same_v<P, T>;
  const Stored<X>* x;
  const Stored<P>* gamma;
  float rstd;

  template <class... Place>
  PORTACL_LANE_INLINE FloatVector operator()(Place... place) const {
    const FloatVector normal = hn::Mul(norm::LoadAt<X>(x, place...), hn::Set(FloatLanes(), rstd));
    return hn::Mul(normal, norm::LoadParameters<P, T>(gamma, place...));
  }
};

// Adds two rows and leaves the sums in scratch.
template <class T>
struct RowSums {
  const Stored<T>* x1;
  const Stored<T>* x2;
  float* scratch;

  template <class... N>
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, N... n) const {
    const FloatVector sum = hn::Add(simd::LoadFloats<T>(x1 + i, n...), simd::LoadFloats<T>(x2 + i, n...));
    hn::StoreU(sum, FloatLanes(), scratch + i);
    return sum;
  }
};

HWY_INLINE float EpsilonOf(const loops::Tile& tile) {
  return static_cast<const RmsNormParameters*>(tile.parameters)->epsilon;
}

template <class T, class P>
HWY_ATTR void RmsNorm(const loops::Tile& tile) {
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto* const x = tile.Row<const Stored<T>>(0, row);
    const float rstd = norm::ReciprocalRoot(norm::MeanSquareOf<T>(x, n, 0), EpsilonOf(tile));
    *tile.Row<float>(3, row) = rstd;
    norm::StoreElements<T>(tile.Row<Stored<T>>(2, row), n, tile.non_temporal,
                           Results<T, T, P>{x, tile.Row<const Stored<P>>(1, row), rstd});
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T>
HWY_ATTR void AddRmsNorm(const loops::Tile& tile) {
  const auto n = static_cast<size_t>(tile.columns);
  auto* const sums = static_cast<float*>(tile.scratch);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const RowSums<T> source{tile.Row<const Stored<T>>(0, row), tile.Row<const Stored<T>>(1, row), sums};
    const double squares = norm::SumInDouble(n, source, norm::AddSquares{0});
    const float rstd = norm::ReciprocalRoot(squares / static_cast<double>(n), EpsilonOf(tile));
    *tile.Row<float>(5, row) = rstd;
    if (tile.operand[3].base != nullptr)
      norm::StoreElements<T>(tile.Row<Stored<T>>(3, row), n, tile.non_temporal, norm::RowSource<float>{sums});
    norm::StoreElements<T>(tile.Row<Stored<T>>(4, row), n, tile.non_temporal,
                           Results<T, float, T>{sums, tile.Row<const Stored<T>>(2, row), rstd});
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindRmsNorm(aclDataType dtype, aclDataType gamma) {
  return loops::ForFloat(dtype, [=]<class T>() { return gamma == dtype ? RmsNorm<T, T> : RmsNorm<T, float>; });
}
loops::LaneFunction FindAddRmsNorm(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return AddRmsNorm<T>; });
}

}  // namespace portacl::ops::rms_norm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::rms_norm, RmsNormLanes, (aclDataType dtype, aclDataType gamma, int64_t target),
                       FindRmsNorm, dtype, gamma)
PORTACL_DISPATCH_LANES(portacl::ops::rms_norm, AddRmsNormLanes, (aclDataType dtype, int64_t target), FindAddRmsNorm,
                       dtype)
