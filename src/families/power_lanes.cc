// SPDX-License-Identifier: Apache-2.0
//
// Sums of powers in float64. Powers are computed a block at a time, by one-line loops that the compiler vectorises.
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

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {

using loops::reductions::ReduceTile;

constexpr int64_t kPowers = 256;
constexpr double kMostMultiplied = 32;  // a larger power is computed by the C library

// Computes |x|^power of up to kPowers elements: by multiplications if twice the power is a small integer.
void ComputePowers(const float* HWY_RESTRICT in, int64_t n, double power, double* HWY_RESTRICT to) {
  const double twice = 2 * std::abs(power);
  if (twice > 2 * kMostMultiplied || twice != std::floor(twice)) {
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
      states[row] += FoldedRow<Plus>(powers, static_cast<size_t>(n), false);
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
