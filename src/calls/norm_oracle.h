// SPDX-License-Identifier: Apache-2.0
// Shared by the oracles of normalisations: a row's statistics in long double, and functions that record results and the
// terms by which their errors are measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"

namespace portacl::calls {

using LongDouble = long double;

inline constexpr LongDouble kAnyValue = std::numeric_limits<LongDouble>::infinity();
// For distances and reciprocal roots above this, float32 has no bits, or too few.
inline constexpr LongDouble kLargestNorm = 0x1p126L;

// Statistics of a row: its mean, 1 / sqrt(mean square + eps), and their errors in float64.
struct RowStatistics {
  LongDouble mean = 0;
  LongDouble rstd = 0;
  LongDouble mean_term = 0;
  LongDouble rstd_term = 0;  // infinite if the sum with eps cancels
  bool is_ordinary = true;   // products of elements and of their distances are in the range of float32
};

// Statistics of the squares of x - mean, or of x if `centred` is false.
inline RowStatistics StatisticsOf(const std::vector<LongDouble>& row, LongDouble eps, bool centred) {
  RowStatistics result;
  const auto n = static_cast<LongDouble>(row.size());
  LongDouble largest = 0;
  for (const LongDouble x : row) {
    result.mean += x;
    largest = std::max(largest, std::abs(x));
  }
  result.mean = centred ? result.mean / n : 0;
  result.mean_term = std::isfinite(largest) ? 0x1p-20L * largest : 0;
  LongDouble squares = 0;
  for (const LongDouble x : row) squares += (x - result.mean) * (x - result.mean);
  const LongDouble variance = squares / n;
  const LongDouble sum = variance + eps;
  result.rstd = 1 / std::sqrt(sum);
  const bool cancels = std::isfinite(sum) && std::abs(sum) < 0x1p-20L * variance;
  result.rstd_term = cancels ? kAnyValue : 0;
  result.is_ordinary = !cancels && !(std::isfinite(largest) && largest > kLargestNorm) &&
                       !(std::isfinite(result.rstd) && result.rstd > kLargestNorm);
  return result;
}

// Appends a value and its term to an output, row-major.
inline void AppendResult(OracleCall& call, std::string_view output, LongDouble value, LongDouble term) {
  call.Values(output).push_back(static_cast<double>(value));
  call.Terms(output).push_back(static_cast<double>(term));
}

// The term for a result in which the parameter is a factor, or a summand, of that size: if it is infinite, only the
// sign of the other factor matters.
inline LongDouble FactorTerm(LongDouble factor, LongDouble size, LongDouble uncertain_below) {
  if (std::isfinite(factor)) return std::abs(factor) * std::max(size, uncertain_below);
  return size > 0x1p-16L * uncertain_below || std::isnan(factor) ? 0 : kAnyValue;
}

// 16-bit results are rounded from float32, whose error hardly matters.
inline LongDouble TermFor(aclDataType dtype, LongDouble term) { return dtype == ACL_FLOAT ? term : term * 0x1p-4L; }

// Appends an element to `out`: (x - mean) rstd weight + bias.
inline void AppendNormal(OracleCall& call, const RowStatistics& of_row, LongDouble x, LongDouble weight,
                         LongDouble bias) {
  const LongDouble normal = (x - of_row.mean) * of_row.rstd;
  const LongDouble uncertain = std::max<LongDouble>(1, 0x1p-22L * std::abs(of_row.mean) * of_row.rstd);
  const LongDouble weighted = FactorTerm(weight, std::abs(normal), uncertain);
  const LongDouble term = std::max(weighted, std::isfinite(bias) ? std::abs(bias) : 0);
  AppendResult(call, "out", normal * weight + bias,
               of_row.is_ordinary ? TermFor(call.Tensor("out").dtype, term) : kAnyValue);
}

// The names of a gradient's tensors; null: the operator does not have it.
struct GradientNames {
  const char* gradient;
  const char* x;
  const char* mean;
  const char* rstd;
  const char* weight;
  const char* dx;
  const char* products;  // sums over rows of gradient * h
  const char* sums;      // sums over rows of the gradient
};

inline bool IsGiven(OracleCall& call, const char* name) { return name != nullptr && !call.Argument(name).null; }

// Sums over rows, and the terms by which their errors are measured.
struct GradientSums {
  explicit GradientSums(size_t places) : values(places), terms(places) {}
  // If h is subnormal, up to `lost` of the term may be lost.
  void Add(size_t place, LongDouble term, LongDouble lost) {
    values[place] += term;
    terms[place] += std::abs(term) + lost;
  }
  void Append(OracleCall& call, const char* name, LongDouble scale) const {
    for (size_t i = 0; IsGiven(call, name) && i < values.size(); ++i) {
      const LongDouble term = std::max(terms[i] * scale, 0x1p-120L);
      AppendResult(call, name, values[i], terms[i] > kLargestNorm ? kAnyValue : term);
    }
  }
  std::vector<LongDouble> values;
  std::vector<LongDouble> terms;
};

// One row: h and weighted gradients, their means, and dx from these.
struct GradientRow {
  std::vector<LongDouble> h;
  std::vector<LongDouble> weighted;
  LongDouble rstd = 0;
  bool is_ordinary = true;

  void Add(LongDouble gradient, LongDouble normal, LongDouble weight) {
    h.push_back(normal);
    weighted.push_back(gradient * weight);
    for (const LongDouble part : {normal, weighted.back(), gradient * normal, weighted.back() * normal})
      is_ordinary = is_ordinary && !(std::isfinite(part) && std::abs(part) > kLargestNorm);
    is_ordinary = is_ordinary && !std::isinf(weight);
    largest_weight = std::max(largest_weight, std::abs(weight));
  }
  void Append(OracleCall& call, const char* dx, bool is_centred) const {
    LongDouble sum = 0, products = 0, product_size = 0, largest = 0, largest_normal = 1;
    const auto n = static_cast<LongDouble>(h.size());
    for (size_t i = 0; i < h.size(); ++i) {
      sum += weighted[i] / n;
      products += weighted[i] * h[i] / n;
      product_size += std::abs(weighted[i] * h[i]) / n;
      largest = std::max(largest, std::abs(weighted[i]));
      largest_normal = std::max(largest_normal, std::abs(h[i]));
    }
    if (!is_centred) sum = 0;
    // The bits that a subnormal product loses.
    const LongDouble tiny =
        std::max(0x1p-120L * largest_normal * largest_normal * std::max({1.0L, largest, largest_weight}),
                 0x1p-120L * largest_normal / (rstd * rstd));
    const LongDouble parts = std::max({largest, largest_normal * product_size, tiny});
    const bool fits =
        is_ordinary && !(std::isfinite(parts * rstd) && parts * std::max(rstd * rstd, 1.0L) > kLargestNorm);
    const LongDouble term = fits ? TermFor(call.Tensor(dx).dtype, std::abs(rstd) * parts) : kAnyValue;
    for (size_t i = 0; i < h.size(); ++i) AppendResult(call, dx, rstd * (weighted[i] - sum - h[i] * products), term);
  }
  LongDouble largest_weight = 0;
};

// The gradients of a normalisation: place(row, i) is the index of an element's weight among `places`.
template <class Place>
void AppendGradients(OracleCall& call, const GradientNames& names, size_t rows, size_t columns, size_t places,
                     const Place& place) {
  GradientSums products(places);
  GradientSums sums(places);
  for (size_t row = 0; row < rows; ++row) {
    GradientRow of_row;
    of_row.rstd = ElementOf(call, names.rstd, row);
    const LongDouble mean = names.mean == nullptr ? 0 : ElementOf(call, names.mean, row);
    for (size_t i = 0; i < columns; ++i) {
      const LongDouble gradient = ElementOf(call, names.gradient, row * columns + i);
      const LongDouble normal = (ElementOf(call, names.x, row * columns + i) - mean) * of_row.rstd;
      const LongDouble distance = std::abs(ElementOf(call, names.x, row * columns + i) - mean);
      of_row.is_ordinary = of_row.is_ordinary && !(std::isfinite(distance) && distance > kLargestNorm);
      of_row.Add(gradient, normal, IsGiven(call, names.weight) ? ElementOf(call, names.weight, place(row, i)) : 1);
      const LongDouble larger = std::max(distance, std::abs(normal));
      const bool is_known = !(std::isfinite(larger) && larger > kLargestNorm);
      products.Add(place(row, i), gradient * normal, is_known ? 0x1p-120L * std::abs(gradient) : kAnyValue);
      sums.Add(place(row, i), gradient, 0);
    }
    if (IsGiven(call, names.dx)) of_row.Append(call, names.dx, names.mean != nullptr);
  }
  if (IsGiven(call, names.products)) {
    products.Append(call, names.products, TermFor(call.Tensor(names.products).dtype, 1));
  }
  sums.Append(call, names.sums, 0x1p-20L);
}

// Selects the outputs that are present; all three without `random`.
inline void CompleteOutputMask(Call& call, Random* random) {
  const size_t first = call.arguments().size() - 3;
  std::vector<int64_t>& mask = call.argument("outputMask").integers;
  mask.assign(3, 1);
  for (size_t i = 0; i < 3; ++i) {
    ArgumentSpec& output = call.arguments()[first + i];
    if (random == nullptr) output.null = false;
    mask[i] = output.null ? 0 : 1;
  }
}

}  // namespace portacl::calls
