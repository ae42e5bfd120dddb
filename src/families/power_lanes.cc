// SPDX-License-Identifier: Apache-2.0
//
// Sums of powers in float64, which are computed a block at a time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "families/reduction_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/power_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/sum_elements.h"
#include "families/sum_rows.h"
#include "simd/dispatch.h"
#include "simd/exp_of_any.h"
#include "simd/log.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using loops::reductions::ReduceTile;

constexpr int64_t kPowers = 256;
constexpr double kMostMultiplied = 32;  // a larger power is an exponential

// Magnitudes of other powers that are exponentials of logarithms: below 0.5 the root of the sum enlarges the error, and
// above 6.8 powers of finite elements leave the range of float64.
constexpr double kLeastInLanes = 0.5;
constexpr double kMostInLanes = 6.8;

template <class D>
HWY_INLINE void StorePowers(D d, const float* from, double power, double* to) {
  const hn::Rebind<float, D> single;
  const auto magnitude = hn::Abs(hn::PromoteTo(d, hn::LoadU(single, from)));
  const auto exponent = hn::Mul(simd::LogOfScaled<false>(d, magnitude, hn::Zero(d)), hn::Set(d, power));
  const auto finite = simd::Exp<true>(d, simd::AtMost(d, simd::AtLeast(d, exponent, -708), 708));
  const auto above = hn::IfThenElse(hn::Eq(exponent, hn::Inf(d)), exponent, finite);
  hn::StoreU(hn::IfThenElse(hn::Eq(exponent, hn::Neg(hn::Inf(d))), hn::Zero(d), above), d, to);
}

HWY_ATTR void PowersInLanes(const float* HWY_RESTRICT in, int64_t n, double power, double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StorePowers(d, in + i, power, to + i);
  for (; i < n; ++i) StorePowers(hn::CappedTag<double, 1>(), in + i, power, to + i);
}

// Computes |x|^power of up to kPowers elements: by multiplications, in loops that the compiler vectorises, if twice the
// power is a small integer.
void ComputePowers(const float* HWY_RESTRICT in, int64_t n, double power, double* HWY_RESTRICT to) {
  const double magnitude = std::abs(power), twice = 2 * magnitude;
  if (twice > 2 * kMostMultiplied || twice != std::floor(twice)) {
    if (magnitude >= kLeastInLanes && magnitude <= kMostInLanes) return PowersInLanes(in, n, power, to);
    for (int64_t i = 0; i < n; ++i) to[i] = std::pow(std::abs(static_cast<double>(in[i])), power);
    return;
  }
  auto exponent = static_cast<unsigned>(twice);
  double base[kPowers];
  for (int64_t i = 0; i < n; ++i) base[i] = std::abs(static_cast<double>(in[i]));
  if (exponent % 2 == 0) {
    exponent /= 2;
  } else {
    for (int64_t i = 0; i < n; ++i) base[i] = std::sqrt(base[i]);
  }
  std::fill_n(to, n, 1.0);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) {
      for (int64_t i = 0; i < n; ++i) to[i] *= base[i];
    }
    for (int64_t i = 0; i < n; ++i) base[i] *= base[i];
  }
  if (power > 0) return;
  for (int64_t i = 0; i < n; ++i) to[i] = 1 / to[i];
}

// Calls add(row, first column, powers, number of powers) for all elements of a tile.
template <class Add>
HWY_INLINE void ForEachBlock(const ReduceTile& tile, const Add& add) {
  const double power = static_cast<const ReductionParameters*>(tile.parameters)->power;
  double powers[kPowers];
  for (int64_t row = 0; row < tile.rows; ++row) {
    const auto* const in = reinterpret_cast<const float*>(tile.in + row * tile.row_stride);
    for (int64_t column = 0; column < tile.columns; column += kPowers) {
      const int64_t n = std::min(kPowers, tile.columns - column);
      ComputePowers(in + column, n, power, powers);
      add(row, column, powers, n);
    }
  }
}

void AddRowPowers(const ReduceTile& tile) {
  auto* const states = reinterpret_cast<double*>(tile.planes[0]);
  ForEachBlock(tile, [=](int64_t row, int64_t, const double* powers, int64_t n) HWY_ATTR {
    if (n < static_cast<int64_t>(kStates) / 2) {
      for (int64_t i = 0; i < n; ++i) states[row] += powers[i];
    } else {
      states[row] += FoldedRow<Plus>(powers, static_cast<size_t>(n), false, 0);
    }
  });
}

void AddColumnPowers(const ReduceTile& tile) {
  auto* const states = reinterpret_cast<double*>(tile.planes[0]);
  ForEachBlock(tile, [=](int64_t, int64_t column, const double* powers, int64_t n) HWY_ATTR {
    double* const HWY_RESTRICT to = states + column;
    for (int64_t i = 0; i < n; ++i) to[i] += powers[i];
  });
}

AddFunctions PowersOf() { return {AddRowPowers, AddColumnPowers}; }

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::families, PowerFunctionsOf, (int64_t target), PowersOf)
