// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <bit>
#include <cstdint>
#include <limits>

#include "base/bfloat16.h"
#include "base/float16.h"
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
  LogitGradParameters parameters{.lo = 0, .hi = 1, .outside = kNan, .infinite = false, .first_inside = 0, .inside = 0};
  if (e < 0) return parameters;
  if (e < 1 || e == kInfinity) {
    parameters.lo = e, parameters.hi = 1.0f - e, parameters.outside = 0;
  } else if (e == 1) {
    parameters.infinite = true;
  } else {  // above 1, or NaN: with these limits every x is outside
    parameters.lo = kInfinity, parameters.hi = -kInfinity;
  }
  return parameters;
}

// The stored bits of the dtype for `value` >= 0, or, if it has none, those of the next larger or smaller number.
uint32_t StoredBits(aclDataType dtype, float value, bool larger) {
  if (dtype == ACL_FLOAT) return std::bit_cast<uint32_t>(value);
  const bool is_float16 = dtype == ACL_FLOAT16;
  const uint16_t bits = is_float16 ? FloatToFloat16(value) : FloatToBfloat16(value);
  const float nearest = is_float16 ? Float16ToFloat(bits) : Bfloat16ToFloat(bits);
  if (larger) return nearest < value ? bits + 1u : bits;
  return nearest > value ? bits - 1u : bits;
}

LogitGradParameters ResolveEps(double eps, aclDataType dtype) {
  LogitGradParameters parameters = ResolveEps(eps);
  if (parameters.lo <= parameters.hi) {
    parameters.first_inside = StoredBits(dtype, parameters.lo, true);
    const uint32_t end = StoredBits(dtype, parameters.hi, false) + 1;
    parameters.inside = end > parameters.first_inside ? end - parameters.first_inside : 0;
  }
  return parameters;
}

void PlanLogitGrad(exec::PlanBuilder& plan) {
  constexpr int kX = kLogitGrad.Index("x");
  constexpr int kDy = kLogitGrad.Index("dy");
  constexpr int kOut = kLogitGrad.Index("out");
  const aclDataType dtype = plan.Tensor(kX).dtype;
  loops::Elementwise(plan, {plan.Operand(kX), plan.Operand(kDy), plan.Operand(kOut)},
                     {.run = LogitGradLanes(dtype, ActiveTarget()), .ns_per_element = 0.2},
                     ResolveEps(plan.Attribute<double>(kLogitGrad.Index("eps")), dtype));
}

}  // namespace

}  // namespace portacl::ops::logit

#include "ops/loss/logit/logit_functions.inc"
