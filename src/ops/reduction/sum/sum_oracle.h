// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the formulas in long double, integers modulo 2^64.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/indices.h"
#include "calls/reduction_oracle.h"
#include "calls/views.h"
#include "calls/word_calls.h"

namespace portacl::ops::sum {

/// A result, and the term by which its error is measured.
struct Judged {
  long double value = 0;
  long double term = 0;
};

inline constexpr long double kAnything = std::numeric_limits<long double>::infinity();

/// The error is measured by `share` times the sum of the terms' magnitudes.
inline Judged SumReference(const std::vector<long double>& terms, long double share) {
  Judged sum;
  calls::ExactSum total;
  for (const long double x : terms) total.Add(x), sum.term += std::abs(x);
  sum.value = total.Total();
  if (!(sum.term < static_cast<long double>(std::numeric_limits<double>::max()))) {
    // A partial sum may have left the range of float64, unless an element was special already.
    const bool is_special = std::any_of(terms.begin(), terms.end(), [](long double x) { return !std::isfinite(x); });
    sum.term = is_special ? 0 : kAnything;
    return sum;
  }
  sum.term *= share;
  return sum;
}

/// Each factor of a product in float64 adds one rounding.
inline Judged ProductReference(const std::vector<long double>& factors, bool is_double) {
  Judged product{1, 0};
  long double up = 0;
  long double down = 0;
  for (const long double x : factors) {
    product.value *= x;
    if (x == 0 || !std::isfinite(x)) continue;
    const long double exponent = std::log2(std::abs(x));
    (exponent > 0 ? up : down) += exponent;
  }
  if (is_double) product.term = std::abs(product.value) * static_cast<long double>(factors.size()) / 64;
  if (!std::isfinite(product.term)) product.term = 0;
  if (up > 1020 || down < -1020) product.term = kAnything;
  return product;
}

/// Both parts. Results with infinities and zeros depend on the order of the factors.
inline std::complex<long double> ComplexProduct(const std::vector<std::complex<long double>>& factors, bool is_double,
                                                long double* term) {
  std::complex<long double> product = 1;
  std::vector<long double> moduli;
  for (const std::complex<long double>& z : factors) {
    product *= z;
    moduli.push_back(std::abs(z));
  }
  const bool is_finite = std::ranges::all_of(moduli, [](long double size) { return std::isfinite(size); });
  *term = is_finite ? std::max(std::abs(product), ProductReference(moduli, is_double).term) : kAnything;
  return product;
}

/// Integers and BOOL, as values of `dtype`.
inline long double WholeReference(const std::vector<long double>& elements, aclDataType dtype, bool is_product,
                                  bool is_mean) {
  if (dtype == ACL_BOOL) {
    const auto is_true = [](long double x) { return x != 0; };
    return is_product ? std::all_of(elements.begin(), elements.end(), is_true)
                      : std::any_of(elements.begin(), elements.end(), is_true);
  }
  uint64_t total = is_product ? 1 : 0;
  for (const long double x : elements) {
    const auto bits = x < 0 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x);
    total = is_product ? total * bits : total + bits;
  }
  const long double value = calls::Converted(static_cast<long double>(total), ACL_UINT64, dtype);
  if (!is_mean) return value;
  if (elements.empty()) return 0;
  return static_cast<long double>(static_cast<int64_t>(value) / static_cast<int64_t>(elements.size()));
}

inline Judged NormReference(const std::vector<long double>& elements, float p) {
  constexpr float kUnlimited = 2147483648.0F;
  Judged norm;
  if (elements.empty()) return {p <= -kUnlimited ? std::numeric_limits<long double>::infinity() : 0, 0};
  if (p == 0)
    return {static_cast<long double>(std::count_if(elements.begin(), elements.end(), [](auto x) { return x != 0; })),
            0};
  const bool has_nan = std::any_of(elements.begin(), elements.end(), [](long double x) { return std::isnan(x); });
  if (has_nan) return {std::numeric_limits<long double>::quiet_NaN(), std::abs(p) < 0x1p-16F ? kAnything : 0};
  std::vector<long double> sizes;
  for (const long double x : elements) sizes.push_back(std::abs(x));
  if (p >= kUnlimited) return {*std::max_element(sizes.begin(), sizes.end()), 0};
  if (p <= -kUnlimited) return {*std::min_element(sizes.begin(), sizes.end()), 0};
  const auto power = static_cast<long double>(p);
  for (const long double x : sizes) {
    const long double term = std::pow(x, power);
    norm.value += term;
    const bool is_ordinary = x == 0 || std::isinf(x) || (term > 0x1p-1020L && term < 0x1p1020L);
    if (!is_ordinary) norm.term = kAnything;
  }
  norm.value = std::pow(norm.value, 1 / power);
  if (std::abs(p) < 0x1p-16F) norm.term = kAnything;
  return norm;
}

inline void AppendJudged(calls::OracleCall& call, const Judged& result) {
  const auto first = static_cast<double>(result.value);
  call.Values("out").push_back(first);
  call.Tails("out").push_back(std::isfinite(first) ? static_cast<double>(result.value - first) : 0);
  call.Terms("out").push_back(static_cast<double>(result.term));
}

/// The number of the element that a tensor of this shape has at `index` when it is broadcast.
inline size_t BroadcastNumber(const calls::Dims& shape, const calls::Dims& index) {
  calls::Dims own(index.end() - std::ssize(shape), index.end());
  for (size_t axis = 0; axis < own.size(); ++axis) own[axis] = shape[axis] == 1 ? 0 : own[axis];
  return calls::NumberOf(shape, own);
}

inline void SumTensors(calls::OracleCall& call) {
  const aclDataType dtype = call.Tensor("out").dtype;
  const long double share = calls::ElementBytes(dtype) == 2 ? 0x1p-5L : 0x1p-16L;
  std::vector<std::vector<std::byte>> elements;
  for (const calls::TensorSpec& tensor : call.Tensors("tensors")) elements.push_back(calls::ReadElements(tensor));
  calls::ForEachIndex(call.Tensor("out").shape, [&](const calls::Dims& index) {
    std::vector<long double> terms;
    for (size_t i = 0; i < elements.size(); ++i) {
      const size_t number = BroadcastNumber(call.Tensors("tensors")[i].shape, index);
      terms.push_back(calls::LoadElement(dtype, &elements[i][number * calls::ElementBytes(dtype)]));
    }
    if (calls::IsFloat(dtype)) return AppendJudged(call, SumReference(terms, share));
    std::byte element[16] = {};
    calls::StoreElement(dtype, WholeReference(terms, dtype, false, false), element);
    call.ExactBytes("out").insert(call.ExactBytes("out").end(), element, element + calls::ElementBytes(dtype));
  });
}

inline bool Oracle(calls::OracleCall& call) {
  const std::string_view api = call.api();
  if (api == "aclnnSum") return SumTensors(call), true;
  const bool is_mean = api == "aclnnMean" || api == "aclnnMeanV2";
  const bool is_product = api == "aclnnProd" || api == "aclnnProdDim";
  const bool is_vector_norm = api == "aclnnLinalgVectorNorm";
  const bool is_norm = is_vector_norm || api == "aclnnNorm";
  if (api == "aclnnForeachNorm") {
    for (const calls::TensorSpec& x : call.Tensors("x")) {
      std::vector<long double> elements;
      for (const double value : calls::Decode(x.dtype, calls::ReadElements(x))) elements.push_back(value);
      AppendJudged(call, NormReference(elements, static_cast<float>(call.Real("scalar"))));
    }
    return true;
  }
  const bool skips_nan = api == "aclnnReduceNansum";
  if (!is_mean && !is_product && !is_norm && !skips_nan && api != "aclnnReduceSum") return false;
  const calls::TensorSpec& self = call.Tensor("self");
  const aclDataType out = call.Tensor("out").dtype;
  const bool has_dtype = call.schema().Find("dtype") >= 0;
  const aclDataType dtype = has_dtype ? static_cast<aclDataType>(call.Integer("dtype")) : self.dtype;
  const bool is_whole = !calls::IsFloat(dtype);
  const long double share = calls::ElementBytes(out) == 2 ? 0x1p-5L : 0x1p-16L;
  for (const std::vector<size_t>& group : calls::Groups(self.shape, calls::ReducedAxes(call, call.schema()))) {
    for (size_t part = 0; part < calls::PartsOf(out); ++part) {
      std::vector<long double> elements;
      for (const size_t i : group) {
        if (part >= calls::PartsOf(dtype)) break;  // a real result, whose imaginary part is 0
        long double x = calls::ElementOf(call, "self", i, part);
        if (dtype == ACL_BOOL && calls::ElementOf(call, "self", i, 1) != 0) x = 1;
        if (skips_nan && std::isnan(x)) continue;
        elements.push_back(has_dtype ? calls::Converted(x, self.dtype, dtype) : x);
      }
      if (is_whole && part > 0) continue;
      if (is_whole) {
        const long double value = WholeReference(elements, dtype, is_product, is_mean);
        std::byte element[16] = {};
        calls::StoreElement(out, calls::Converted(value, dtype, out), element);
        std::vector<std::byte>& bytes = call.ExactBytes("out");
        bytes.insert(bytes.end(), element, element + calls::ElementBytes(out));
        continue;
      }
      if (is_product && calls::PartsOf(dtype) == 2) {
        const auto part_of = [&](size_t i, size_t which) {
          return calls::Converted(calls::ElementOf(call, "self", i, which), self.dtype, dtype);
        };
        std::vector<std::complex<long double>> factors;
        for (const size_t i : group) factors.emplace_back(part_of(i, 0), part_of(i, 1));
        Judged result;
        const std::complex<long double> product = ComplexProduct(factors, dtype == ACL_COMPLEX128, &result.term);
        result.value = part == 0 ? product.real() : product.imag();
        AppendJudged(call, result);
        continue;
      }
      Judged result = is_norm
                          ? NormReference(elements, static_cast<float>(call.Real(is_vector_norm ? "ord" : "pScalar")))
                      : is_product ? ProductReference(elements, calls::PartDtype(out) == ACL_DOUBLE)
                                   : SumReference(elements, share);
      if (is_mean && part < calls::PartsOf(dtype)) {
        result.value /= static_cast<long double>(elements.size());
        if (std::isfinite(result.term) && !elements.empty()) result.term /= static_cast<long double>(elements.size());
      }
      AppendJudged(call, result);
    }
  }
  return true;
}

/// A list of any length, of which each tensor may be smaller.
inline void DrawTensors(calls::Call& call, calls::Random& random) {
  std::vector<calls::TensorSpec>& tensors = call.argument("tensors").tensors;
  tensors.resize(static_cast<size_t>(random.Between(1, 9)), tensors[0]);
  for (calls::TensorSpec& tensor : tensors) {
    tensor.shape = tensors[0].shape;
    if (&tensor == &tensors[0] || !random.Chance(0.4)) continue;
    for (int64_t& size : tensor.shape) size = random.Chance(0.5) ? 1 : size;
    if (random.Chance(0.3))
      tensor.shape.erase(tensor.shape.begin(), tensor.shape.begin() + random.Between(0, std::ssize(tensor.shape)));
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

/// Vectors get orders of every kind, over no elements those that are allowed. The norms of a list have one element each.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (api == "aclnnSum" && random != nullptr) DrawTensors(call, *random);
  if (api == "aclnnForeachNorm") {
    for (calls::TensorSpec& norm : call.argument("out").tensors) norm.shape.clear();
  }
  if (api != "aclnnLinalgVectorNorm") return;
  calls::ArgumentSpec& dims = call.argument("dims");
  dims.null = dims.integers.empty() && random != nullptr && random->Chance(0.5);
  calls::ComputeShapeOf(call, call.schema().Find("out"));
  if (random == nullptr) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const calls::Dims& shape = call.tensor("self").shape;
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();
  call.argument("ord").real = is_empty ? random->Pick(std::vector<double>{0, 0.5, 1, 2, 3})
                                       : random->Pick(std::vector<double>{0, 0.5, 1, 2, 3, -1, kInfinity, -kInfinity});
}

// The order may be drawn after the shapes.
inline void CompleteContents(calls::Call& call) {
  if (std::string_view(call.schema().api) != "aclnnForeachNorm") return;
  double& order = call.argument("scalar").real;
  const bool may_be_empty = std::isfinite(order) && order >= 0 && order < 0x1p31;
  for (const calls::TensorSpec& x : call.argument("x").tensors) {
    if (calls::ElementCount(x.shape) == 0 && !may_be_empty) order = 2;
  }
}

}  // namespace portacl::ops::sum
