// SPDX-License-Identifier: Apache-2.0
//
// Each row takes two sweeps. The first computes the two sums that its gradient needs, and adds the row to the sums over
// rows. The second computes its gradient.
#include "families/norm_backward_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/norm_backward_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/norm_rows.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {

// A row, or one channel of a row; all elements of a channel have the same weight.
template <class T, class P>
struct GradientRow {
  const Stored<T>* gradient;
  const Stored<T>* x;
  const Stored<P>* weights;  // null: `weight` for all elements
  float weight;
  float mean;
  float rstd;

  template <class... Place>
  HWY_INLINE FloatVector Distance(Place... place) const {
    return hn::Sub(LoadAt<T>(x, place...), hn::Set(FloatLanes(), mean));
  }
  template <class... Place>
  HWY_INLINE FloatVector Weighted(Place... place) const {
    const FloatVector g = LoadAt<T>(gradient, place...);
    if (weights == nullptr) return hn::Mul(g, hn::Set(FloatLanes(), weight));
    return hn::Mul(g, LoadParameters<P, T>(weights, place...));
  }
};

// rstd (d - mean(d)) - (x - mean) slope.
template <class T, class P>
struct InputGradients {
  static constexpr bool kTakesEveryOther = std::is_same_v<T, hwy::bfloat16_t> && std::is_same_v<P, T>;
  const GradientRow<T, P>& row;
  float mean_gradient;
  float slope;
  template <class... Place>
  HWY_INLINE FloatVector operator()(Place... place) const {
    const FloatLanes d;
    const FloatVector centred = hn::Sub(row.Weighted(place...), hn::Set(d, mean_gradient));
    return hn::NegMulAdd(row.Distance(place...), hn::Set(d, slope), hn::Mul(centred, hn::Set(d, row.rstd)));
  }
};

using FewFloats = hn::VFromD<FewFloatLanes>;

// gradient and gradient * h of some elements of a row, as doubles.
template <class T, class P>
HWY_INLINE void Promote(const GradientRow<T, P>& row, FewFloats gradient, FewFloats x, DoubleVector& g,
                        DoubleVector& product) {
  const FewFloatLanes d;
  const DoubleLanes dd;
  const FewFloats normal = hn::Mul(hn::Sub(x, hn::Set(d, row.mean)), hn::Set(d, row.rstd));
  g = hn::PromoteTo(dd, gradient);
  product = hn::PromoteTo(dd, hn::Mul(gradient, normal));
}

// Sums over a row, or over one channel of a row.
struct RowSums {
  double gradients;
  double products;  // of gradient * h
};
HWY_INLINE RowSums Total(DoubleVector gradients, DoubleVector products) {
  const DoubleLanes dd;
  return {hn::GetLane(hn::SumOfLanes(dd, gradients)), hn::GetLane(hn::SumOfLanes(dd, products))};
}

template <class T, class P>
PORTACL_LANE_INLINE RowSums SumsOfChannel(const GradientRow<T, P>& row, size_t n) {
  const FewFloatLanes d;
  const DoubleLanes dd;
  const size_t step = hn::Lanes(dd);
  DoubleVector gradients0 = hn::Zero(dd), gradients1 = gradients0, products0 = gradients0, products1 = gradients0;
  DoubleVector g = gradients0, product = gradients0;
  FewFloats gradient0 = hn::Zero(d), gradient1 = gradient0, x0 = gradient0, x1 = gradient0;
  size_t i = 0;
  for (; i + 2 * step <= n; i += 2 * step) {
    LoadPair<T>(row.gradient + i, gradient0, gradient1);
    LoadPair<T>(row.x + i, x0, x1);
    Promote(row, gradient0, x0, g, product);
    gradients0 = Increased(gradients0, g);
    products0 = Increased(products0, product);
    Promote(row, gradient1, x1, g, product);
    gradients1 = Increased(gradients1, g);
    products1 = Increased(products1, product);
  }
  for (; i < n; i += step) {
    const size_t rest = std::min(n - i, step);
    Promote(row, LoadFew<T>(row.gradient + i, rest), LoadFew<T>(row.x + i, rest), g, product);
    gradients0 = Increased(gradients0, g);
    products0 = Increased(products0, hn::IfThenElseZero(hn::FirstN(dd, rest), product));
  }
  return Total(hn::Add(gradients0, gradients1), hn::Add(products0, products1));
}

template <class T, class P>
struct BackwardRow {
  GradientRow<T, P> row;  // the whole row, with its weights
  size_t n;
  Stored<T>* dx;         // null: not requested
  double* product_sums;  // null: not requested
  double* sums;

  HWY_INLINE InputGradients<T, P> GradientsOf(const GradientRow<T, P>& part, double sum, double products,
                                              bool is_centred) const {
    const auto count = static_cast<double>(n);
    return {part, is_centred ? static_cast<float>(sum / count) : 0.0F,
            static_cast<float>(double{row.rstd} * double{row.rstd} * products / count)};
  }

  // Adds a register of elements from i on, or the last `rest` elements: with weights to the sums of the row, and
  // without to the sums over rows. kAll means that weights and sums over rows are all present.
  template <bool kAll, class... N>
  HWY_INLINE void Add(size_t i, DoubleVector& gradients, DoubleVector& products, N... rest) const {
    const FewFloatLanes d;
    const DoubleLanes dd;
    DoubleVector g = hn::Zero(dd), product = g;
    Promote(row, LoadFew<T>(row.gradient + i, rest...), LoadFew<T>(row.x + i, rest...), g, product);
    DoubleVector weight = hn::Set(dd, double{row.weight});
    if (kAll || row.weights != nullptr)
      weight = hn::PromoteTo(dd, AsParameters<P, T>(d, LoadFew<P>(row.weights + i, rest...)));
    if constexpr (sizeof...(N) != 0) product = hn::IfThenElseZero(hn::FirstN(dd, rest...), product);
    gradients = hn::MulAdd(g, weight, gradients);
    products = hn::MulAdd(product, weight, products);
    if (kAll || product_sums != nullptr) AddTo(product_sums + i, product, rest...);
    if (kAll || sums != nullptr) AddTo(sums + i, g, rest...);
  }
  static HWY_INLINE void AddTo(double* to, DoubleVector v) {
    const DoubleLanes dd;
    hn::StoreU(hn::Add(hn::LoadU(dd, to), v), dd, to);
  }
  static HWY_INLINE void AddTo(double* to, DoubleVector v, size_t n) {
    const DoubleLanes dd;
    simd::StoreTail(dd, hn::Add(simd::LoadTail(dd, to, n), v), to, n);
  }

  // The sums of d and of d h over the row.
  template <bool kAll>
  PORTACL_LANE_INLINE RowSums WeightedSums() const {
    const DoubleLanes dd;
    const size_t step = hn::Lanes(dd);
    DoubleVector gradients0 = hn::Zero(dd), gradients1 = gradients0, products0 = gradients0, products1 = gradients0;
    size_t i = 0;
    for (; i + 2 * step <= n; i += 2 * step) {
      Add<kAll>(i, gradients0, products0);
      Add<kAll>(i + step, gradients1, products1);
    }
    for (; i < n; i += step) Add<kAll>(i, gradients0, products0, std::min(n - i, step));
    return Total(hn::Add(gradients0, gradients1), hn::Add(products0, products1));
  }

  HWY_INLINE void Run(bool is_centred, bool non_temporal) const {
    const bool has_all = HWY_TARGET != HWY_EMU128 && row.weights != nullptr && product_sums != nullptr &&
                         sums != nullptr;  // keeps the fallback small
    const RowSums of_row = has_all ? WeightedSums<true>() : WeightedSums<false>();
    if (dx != nullptr)
      StoreElements<T>(dx, n, non_temporal, GradientsOf(row, of_row.gradients, of_row.products, is_centred));
  }

  // The part of the row that belongs to one channel.
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
      const RowSums of_channel = SumsOfChannel(part, size);
      if (product_sums != nullptr) product_sums[channel] += of_channel.products;
      if (sums != nullptr) sums[channel] += of_channel.gradients;
      sum += double{part.weight} * of_channel.gradients;
      products += double{part.weight} * of_channel.products;
    }
    for (size_t channel = 0; dx != nullptr && channel < channels; ++channel) {
      const GradientRow<T, P> part = Channel(channel, size);
      StoreElements<T>(dx + channel * size, size, non_temporal, GradientsOf(part, sum, products, true));
    }
  }
};

template <class T, class P>
HWY_ATTR void NormBackward(const loops::Tile& tile) {
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

loops::LaneFunction FindBackward(aclDataType dtype, aclDataType weight) {
  return loops::ForFloat(dtype,
                         [=]<class T>() { return weight == dtype ? NormBackward<T, T> : NormBackward<T, float>; });
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::families, NormBackwardLanes, (aclDataType dtype, aclDataType weight, int64_t target),
                       FindBackward, dtype, weight)
