// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <limits>

#include "base/target.h"
#include "loops/tiles/elementwise.h"
#include "ops/loss/logit/logit_lanes.h"
#include "ops/loss/logit/logit_spec.h"

namespace portacl::ops::logit {
namespace {

LogitParameters ResolveLimits(double eps) {
  const float e = static_cast<float>(eps);
  return {.lo = e, .hi = 1.0f - e, .limited = e >= 0};  // false for NaN
}

void PlanLogit(exec::PlanBuilder& plan) {
  constexpr int kInput = kLogit.Index("input");
  constexpr int kOut = kLogit.Index("out");
  loops::Elementwise(plan, {plan.Operand(kInput), plan.Operand(kOut)},
                     {.run = LogitLanes(plan.Tensor(kInput).dtype, ActiveTarget()), .ns_per_element = 0.25},
                     ResolveLimits(plan.Attribute<double>(kLogit.Index("eps"))));
}

// Decides, for the whole room, what an eps of 1 or more means, and what NaN means. The documentation contradicts itself
// there: its most specific sentence is followed.
LogitGradParameters ResolveEps(double eps) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const float e = static_cast<float>(eps);
  if (e < 0) return {.lo = 0, .hi = 1, .outside = kNan, .infinite = false};
  if (e < 1 || e == kInfinity) return {.lo = e, .hi = 1.0f - e, .outside = 0, .infinite = false};
  if (e == 1) return {.lo = 0, .hi = 0, .outside = 0, .infinite = true};
  // Above 1, or NaN: with these limits every x is outside.
  return {.lo = kInfinity, .hi = -kInfinity, .outside = kNan, .infinite = false};
}

void PlanLogitGrad(exec::PlanBuilder& plan) {
  constexpr int kX = kLogitGrad.Index("x");
  constexpr int kDy = kLogitGrad.Index("dy");
  constexpr int kOut = kLogitGrad.Index("out");
  loops::Elementwise(plan, {plan.Operand(kX), plan.Operand(kDy), plan.Operand(kOut)},
                     {.run = LogitGradLanes(plan.Tensor(kX).dtype, ActiveTarget()), .ns_per_element = 0.2},
                     ResolveEps(plan.Attribute<double>(kLogitGrad.Index("eps"))));
}

}  // namespace

}  // namespace portacl::ops::logit

#include "ops/loss/logit/logit_functions.inc"
