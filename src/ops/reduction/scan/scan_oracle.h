// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: the definitions in long double, integers modulo 2^64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/reduction_oracle.h"

namespace portacl::ops::scan {

/// Running sums or products.
struct Reference {
  bool is_product;
  long double product = 1;
  long double rest = 0;  // accumulated rounding error of the product, which matters for long rows of DOUBLE
  calls::ExactSum sum = {};
  long double magnitude = 0;  // sum of the magnitudes of terms
  uint64_t whole = is_product ? 1 : 0;
  bool is_lost = false;  // an operand or result left the range of float64, or that in which it has full precision

  void Add(long double x) {
    const auto bits = x < 0 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x);
    whole = is_product ? whole * bits : whole + bits;
  }
  void AddReal(long double x) {
    if (is_product) {
      const long double total = product * x;
      rest = rest * x + std::fma(product, x, -total);
      product = total;
      const bool is_ordinary = std::abs(product) > 0x1p-900L && std::abs(product) < 0x1p1020L;
      is_lost = is_lost || (std::isfinite(product) && product != 0 && !is_ordinary);
    } else {
      sum.Add(x);
      magnitude += std::abs(x);
      is_lost = is_lost || (std::isfinite(magnitude) && magnitude >= 0x1p1023L);
    }
  }
  long double Value() const {
    if (!is_product) return sum.Total();
    return std::isfinite(product) && std::isfinite(rest) ? product + rest : product;
  }
  long double Term() const {
    if (is_lost) return std::numeric_limits<long double>::infinity();
    return is_product || !std::isfinite(magnitude) ? 0 : magnitude * 0x1p-16L;
  }
};

inline bool Oracle(calls::OracleCall& call) {
  const bool is_product = call.api() == "aclnnCumprod";
  const bool has_flags = call.api() == "aclnnCumsumV2";
  if (!is_product && !has_flags && call.api() != "aclnnCumsum") return false;
  const std::string_view self = is_product ? "input" : "self";
  const calls::TensorSpec& input = call.Tensor(self);
  const aclDataType out = call.Tensor("out").dtype;
  const bool is_whole = !calls::IsFloat(out);
  const bool is_exclusive = has_flags && call.Integer("exclusive") != 0;
  const int64_t dim = is_product ? static_cast<int64_t>(call.Real("dim")) : call.Integer("dim");
  const auto count = static_cast<size_t>(calls::ElementCount(input.shape));
  const size_t parts = calls::PartsOf(out);
  if (is_whole) {
    call.ExactBytes("out").resize(count * calls::ElementBytes(out));
  } else {
    call.Values("out").resize(count * parts);
    call.Tails("out").resize(count * parts);
    call.Terms("out").resize(count * parts);
  }
  const auto store = [&](size_t i, const Reference& reference) {
    if (is_whole) {
      const long double value = calls::Converted(static_cast<long double>(reference.whole), ACL_UINT64, out);
      return calls::StoreElement(out, value, &call.ExactBytes("out")[i * calls::ElementBytes(out)]);
    }
    const long double value = reference.Value();
    const auto first = static_cast<double>(value);
    call.Values("out")[i] = first;
    call.Tails("out")[i] = std::isfinite(first) ? static_cast<double>(value - first) : 0;
    call.Terms("out")[i] = static_cast<double>(reference.Term());
  };
  for (std::vector<size_t> group : calls::Groups(input.shape, calls::ReducedAxes(input.shape, {dim}))) {
    if (has_flags && call.Integer("reverse") != 0) std::reverse(group.begin(), group.end());
    for (size_t part = 0; part < parts; ++part) {
      Reference reference{.is_product = is_product};
      for (const size_t i : group) {
        if (is_exclusive) store(i * parts + part, reference);
        const long double x = calls::Converted(calls::ElementOf(call, self, i, part), input.dtype, out);
        is_whole ? reference.Add(x) : reference.AddReal(x);
        if (!is_exclusive) store(i * parts + part, reference);
      }
    }
  }
  return true;
}

/// No step of the schema mentions the flags.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnCumsumV2" || random == nullptr) return;
  for (const char* const flag : {"exclusive", "reverse"}) call.argument(flag).integer = random->Chance(0.5) ? 1 : 0;
}

}  // namespace portacl::ops::scan
