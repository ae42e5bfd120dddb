// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::nll_loss {

/// The elements of self: row r, class c, position p is element (r * classes + c) * positions + p, and its label is
/// number r * positions + p.
struct ClassLayout {
  explicit ClassLayout(const calls::Dims& shape) {
    const size_t axis = shape.size() == 1 ? 0 : 1;
    classes = shape[axis];
    for (size_t i = axis + 1; i < shape.size(); ++i) positions *= shape[i];
  }
  size_t ElementOf(size_t number, int64_t label) const {
    const auto n = static_cast<int64_t>(number);
    return static_cast<size_t>((n / positions * classes + label) * positions + n % positions);
  }

  int64_t classes;
  int64_t positions = 1;
};

inline double Rounded(double value) { return double{static_cast<float>(value)}; }

inline bool Oracle(calls::OracleCall& call) {
  if (call.api().find("NLLLoss") == std::string_view::npos) return false;
  const bool is_gradient = call.api().ends_with("Backward");
  const ClassLayout layout(call.Tensor("self").shape);
  const std::vector<double>&target = call.Values("target"), &weight = call.Values("weight"),
        &self = call.Values("self");
  const int64_t reduction = call.Integer("reduction");
  std::vector<double>& out = call.Values("out");
  if (is_gradient) {
    const std::vector<double>& grad = call.Values("gradOutput");
    const double divisor = reduction == 1 ? call.Values("totalWeight")[0] : 1;
    out.assign(self.size(), 0);
    for (size_t i = 0; i < target.size(); ++i) {
      const auto label = static_cast<int64_t>(target[i]);
      if (label == call.Integer("ignoreIndex")) continue;
      out[layout.ElementOf(i, label)] = -grad[reduction == 0 ? i : 0] * weight[static_cast<size_t>(label)] / divisor;
    }
    return true;
  }
  std::vector<double> losses;
  double loss = 0, total = 0, term_of_loss = 0, term_of_total = 0;
  for (size_t i = 0; i < target.size(); ++i) {
    const auto label = static_cast<int64_t>(target[i]);
    losses.push_back(0);
    if (label == call.Integer("ignoreIndex")) continue;
    const double of_class = weight[static_cast<size_t>(label)];
    losses.back() = Rounded(-of_class * self[layout.ElementOf(i, label)]);
    loss += losses.back();
    total += of_class;
    term_of_loss += std::abs(losses.back());
    term_of_total += std::abs(of_class);
  }
  const double divisor = reduction == 1 ? total : 1;
  // A weight that cancels leaves a mean undecided.
  const bool cancels = reduction == 1 && std::abs(total) < 0x1p-20 * term_of_total;
  out = reduction == 0 ? losses : std::vector<double>{loss / divisor};
  call.Terms("out").assign(out.size(), 0);
  if (reduction != 0) call.Terms("out") = {cancels ? INFINITY : 0x1p-16 * term_of_loss / std::abs(divisor)};
  call.Values("totalWeightOut") = {reduction == 0 ? 0 : total};
  call.Terms("totalWeightOut") = {0x1p-16 * term_of_total};
  return true;
}

/// Classes where there are labels, and an ignored label that sometimes is a class.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api).find("NLLLoss") == std::string_view::npos) return;
  calls::Dims& self = call.tensor("self").shape;
  int64_t& classes = self[self.size() == 1 ? 0 : 1];
  if (classes == 0) classes = 3;
  for (const std::string_view name : {"target", "weight", "gradOutput", "totalWeight", "out", "totalWeightOut"}) {
    const int index = call.schema().Find(name);
    if (index >= 0) calls::ComputeShapeOf(call, index);
  }
  call.argument("ignoreIndex").integer = random == nullptr || random->Chance(0.5) ? -100 : random->Between(0, classes);
}

inline void CompleteContents(calls::Call& call) {
  if (std::string_view(call.schema().api).find("NLLLoss") == std::string_view::npos) return;
  calls::WriteIndices(call, "target", ClassLayout(call.tensor("self").shape).classes);
}

}  // namespace portacl::ops::nll_loss
