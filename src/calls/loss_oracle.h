// SPDX-License-Identifier: Apache-2.0
//
// The exact results of losses over a pair of tensors, and of their gradients. The oracles of their rooms list formulas.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/oracle.h"

namespace portacl::calls {

/// self - target in float32, beyond whose range it is infinite; else not rounded.
inline double FloatDifference(double self, double target) {
  const double d = self - target;
  const bool beyond = std::abs(d) >= 0x1p128 - 0x1p103;
  return beyond && std::isfinite(d) ? std::copysign(std::numeric_limits<double>::infinity(), d) : d;
}

/// The elements of an operand of shape `from`, row-major, broadcast to `to`.
template <class T>
std::vector<T> BroadcastElements(const std::vector<T>& values, const std::vector<int64_t>& from,
                                 const std::vector<int64_t>& to) {
  size_t count = 1;
  for (const int64_t size : to) count *= static_cast<size_t>(size);
  std::vector<T> result;
  for (size_t i = 0; i < count; ++i) {
    size_t rest = i, place = 0, step = 1;
    for (size_t axis = 1; axis <= from.size(); ++axis) {  // from the last axis to the first
      const auto size = static_cast<size_t>(from[from.size() - axis]);
      const auto whole = static_cast<size_t>(to[to.size() - axis]);
      if (size != 1) place += rest % whole * step;
      step *= size;
      rest /= whole;
    }
    result.push_back(values[place]);
  }
  return result;
}

inline std::vector<int64_t> BroadcastShape(std::vector<int64_t> a, std::vector<int64_t> b) {
  if (a.size() < b.size()) a.swap(b);
  for (size_t axis = 1; axis <= b.size(); ++axis) {
    int64_t& size = a[a.size() - axis];
    if (size == 1) size = b[b.size() - axis];
  }
  return a;
}

/// The elements of self and target, broadcast; integers are rounded to float32.
struct LossPairs {
  explicit LossPairs(OracleCall& call)
      : shape(BroadcastShape(call.Tensor("self").shape, call.Tensor("target").shape)),
        self(BroadcastElements(call.Values("self"), call.Tensor("self").shape, shape)),
        target(BroadcastElements(call.Values("target"), call.Tensor("target").shape, shape)) {
    for (double& value : self) value = double{static_cast<float>(value)};
    for (double& value : target) value = double{static_cast<float>(value)};
  }

  std::vector<int64_t> shape;
  std::vector<double> self, target;
};

/// Without reduction, the terms; else their sum or mean, of terms that are rounded to float32.
template <class Term>
void ReduceLoss(OracleCall& call, const Term& term) {
  const LossPairs pairs(call);
  const int64_t reduction = call.Integer("reduction");
  std::vector<double> terms;
  double sum = 0;
  for (size_t i = 0; i < pairs.self.size(); ++i) {
    terms.push_back(term(pairs.self[i], pairs.target[i]));
    sum += double{static_cast<float>(terms.back())};
  }
  if (reduction == 1) sum /= static_cast<double>(terms.size());
  call.Values("out") = reduction == 0 ? std::move(terms) : std::vector<double>{sum};
}

/// gradOutput * factor(self, target), broadcast, divided by `elements` for a mean.
template <class Factor>
void ScaleLossGradient(OracleCall& call, std::string_view out, const Factor& factor, size_t elements) {
  const std::vector<int64_t>& shape = call.Tensor(out).shape;
  const auto operand = [&](std::string_view name) {
    return BroadcastElements(call.Values(name), call.Tensor(name).shape, shape);
  };
  const std::vector<double> grad = operand("gradOutput"), self = operand("self"), target = operand("target");
  const double divisor = call.Integer("reduction") == 1 ? static_cast<double>(elements) : 1;
  call.Values(out).clear();
  for (size_t i = 0; i < grad.size(); ++i) call.Values(out).push_back(grad[i] * factor(self[i], target[i]) / divisor);
}

}  // namespace portacl::calls
