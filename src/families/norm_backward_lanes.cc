// SPDX-License-Identifier: Apache-2.0
//
// Four sweeps over a row: the two sums that its gradient takes, what it adds to the sums over rows, and its gradient.
#include "families/norm_backward_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/norm_backward_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/norm_rows.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {

// A row, or a channel of one, whose elements have one weight then.
template <class T, class P>
struct GradientRow {
  const Stored<T>* gradient;
  const Stored<T>* x;
  const Stored<P>* weights;  // null: `weight` for all
  float weight;
  float mean;
  float rstd;

  template <class... N>
  HWY_INLINE FloatVector Distance(size_t i, N... n) const {
    return hn::Sub(simd::LoadFloats<T>(x + i, n...), hn::Set(FloatLanes(), mean));
  }
  template <class... N>
  HWY_INLINE FloatVector Normal(size_t i, N... n) const {
    return hn::Mul(Distance(i, n...), hn::Set(FloatLanes(), rstd));
  }
  template <class... N>
  HWY_INLINE FloatVector Weighed(size_t i, N... n) const {
    const FloatVector g = simd::LoadFloats<T>(gradient + i, n...);
    if (weights == nullptr) return hn::Mul(g, hn::Set(FloatLanes(), weight));
    return hn::Mul(g, LoadParameters<P, T>(weights, i, n...));
  }
};

template <class T, class P>
struct WeighedGradients {
  const GradientRow<T, P>& row;
  template <class... N>
  HWY_INLINE FloatVector operator()(size_t i, N... n) const {
    return row.Weighed(i, n...);
  }
};
template <class T, class P>
struct WeighedProducts {
  const GradientRow<T, P>& row;
  template <class... N>
  HWY_INLINE FloatVector operator()(size_t i, N... n) const {
    return hn::Mul(row.Weighed(i, n...), row.Normal(i, n...));
  }
};
template <class T, class P>
struct Products {
  const GradientRow<T, P>& row;
  template <class... N>
  HWY_INLINE FloatVector operator()(size_t i, N... n) const {
    return hn::Mul(simd::LoadFloats<T>(row.gradient + i, n...), row.Normal(i, n...));
  }
};
// rstd (d - mean(d)) - (x - mean) slope.
template <class T, class P>
struct InputGradients {
  static constexpr bool kTakesEveryOther = false;
  const GradientRow<T, P>& row;
  float mean_gradient;
  float slope;
  template <class... N>
  HWY_INLINE FloatVector operator()(size_t i, N... n) const {
    const FloatLanes d;
    const FloatVector centred = hn::Sub(row.Weighed(i, n...), hn::Set(d, mean_gradient));
    return hn::NegMulAdd(row.Distance(i, n...), hn::Set(d, slope), hn::Mul(centred, hn::Set(d, row.rstd)));
  }
};

template <class T>
HWY_INLINE double SumOf(const Stored<T>* x, size_t n) {
  return SumInDouble(n, RowSource<T>{x}, AddElements());
}

// sums[i] += element i.
template <class Source>
HWY_INLINE void AddToSums(size_t n, const Source& source, double* sums) {
  const FloatLanes d;
  const hn::Half<FloatLanes> half;
  const DoubleLanes dd;
  const size_t lanes = hn::Lanes(d);
  const size_t of_half = hn::Lanes(dd);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const FloatVector v = source(i);
    const auto lower = hn::PromoteTo(dd, hn::LowerHalf(half, v));
    const auto upper = hn::PromoteTo(dd, hn::UpperHalf(half, v));
    hn::StoreU(hn::Add(hn::LoadU(dd, sums + i), lower), dd, sums + i);
    hn::StoreU(hn::Add(hn::LoadU(dd, sums + i + of_half), upper), dd, sums + i + of_half);
  }
  if (i == n) return;
  const FloatVector v = source(i, n - i);
  const size_t first = std::min(n - i, of_half);
  const size_t second = n - i - first;
  const auto lower = hn::PromoteTo(dd, hn::LowerHalf(half, v));
  const auto upper = hn::PromoteTo(dd, hn::UpperHalf(half, v));
  simd::StoreTail(dd, hn::Add(simd::LoadTail(dd, sums + i, first), lower), sums + i, first);
  if (second == 0) return;
  simd::StoreTail(dd, hn::Add(simd::LoadTail(dd, sums + i + first, second), upper), sums + i + first, second);
}

template <class T, class P>
struct BackwardRow {
  GradientRow<T, P> row;  // whole, with its weights
  size_t n;
  Stored<T>* dx;         // null: not wanted
  double* product_sums;  // null: not wanted
  double* sums;

  HWY_INLINE InputGradients<T, P> GradientsOf(const GradientRow<T, P>& part, double sum, double products,
                                              bool is_centred) const {
    const auto count = static_cast<double>(n);
    return {part, is_centred ? static_cast<float>(sum / count) : 0.0F,
            static_cast<float>(double{row.rstd} * double{row.rstd} * products / count)};
  }

  HWY_INLINE void Run(bool is_centred, bool non_temporal) const {
    const double sum = is_centred ? SumInDouble(n, WeighedGradients<T, P>{row}, AddElements()) : 0;
    const double products = SumInDouble(n, WeighedProducts<T, P>{row}, AddElements());
    if (product_sums != nullptr) AddToSums(n, Products<T, P>{row}, product_sums);
    if (sums != nullptr) AddToSums(n, RowSource<T>{row.gradient}, sums);
    if (dx != nullptr) StoreElements<T>(dx, n, non_temporal, GradientsOf(row, sum, products, is_centred));
  }

  // The part of the row that is one channel.
  HWY_INLINE GradientRow<T, P> Channel(size_t channel, size_t size) const {
    GradientRow<T, P> part = row;
    part.gradient += channel * size;
    part.x += channel * size;
    part.weights = nullptr;
    if (row.weights != nullptr) part.weight = hn::GetLane(LoadParameters<P, T>(row.weights, channel, size_t{1}));
    return part;
  }

  HWY_INLINE void RunChannels(size_t channels, bool non_temporal) const {
    const size_t size = n / channels;
    double sum = 0;
    double products = 0;
    for (size_t channel = 0; channel < channels; ++channel) {
      const GradientRow<T, P> part = Channel(channel, size);
      const double of_channel = SumOf<T>(part.gradient, size);
      const double products_of_channel = SumInDouble(size, Products<T, P>{part}, AddElements());
      if (product_sums != nullptr) product_sums[channel] += products_of_channel;
      if (sums != nullptr) sums[channel] += of_channel;
      sum += double{part.weight} * of_channel;
      products += double{part.weight} * products_of_channel;
    }
    for (size_t channel = 0; dx != nullptr && channel < channels; ++channel) {
      const GradientRow<T, P> part = Channel(channel, size);
      StoreElements<T>(dx + channel * size, size, non_temporal, GradientsOf(part, sum, products, true));
    }
  }
};

template <class T, class P>
HWY_INLINE void RunBackward(const loops::Tile& tile) {
  const auto& parameters = *static_cast<const NormBackwardParameters*>(tile.parameters);
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const BackwardRow<T, P> backward{
        {tile.Row<const Stored<T>>(0, row), tile.Row<const Stored<T>>(1, row), tile.Row<const Stored<P>>(2, row), 1,
         *tile.Row<const float>(4, row), *tile.Row<const float>(5, row)},
        n,
        tile.Row<Stored<T>>(3, row),
        tile.Row<double>(6, row),
        tile.Row<double>(7, row)};
    if (parameters.channels == 0) {
      backward.Run(parameters.is_centred, tile.non_temporal);
    } else {
      backward.RunChannels(static_cast<size_t>(parameters.channels), tile.non_temporal);
    }
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T>
HWY_ATTR void NormBackward(const loops::Tile& tile) {
  RunBackward<T, T>(tile);
}
template <class T>
HWY_ATTR void MixedNormBackward(const loops::Tile& tile) {
  RunBackward<T, float>(tile);
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::families {

loops::LaneFunction NormBackwardLanes(aclDataType dtype, aclDataType weight, int64_t target) {
  const bool is_mixed = weight != dtype;
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(NormBackward<float>, target);
    case ACL_FLOAT16:
      return is_mixed ? PORTACL_FOR_TARGET(MixedNormBackward<hwy::float16_t>, target)
                      : PORTACL_FOR_TARGET(NormBackward<hwy::float16_t>, target);
    default:
      return is_mixed ? PORTACL_FOR_TARGET(MixedNormBackward<hwy::bfloat16_t>, target)
                      : PORTACL_FOR_TARGET(NormBackward<hwy::bfloat16_t>, target);
  }
}

}  // namespace portacl::families
#endif  // HWY_ONCE
