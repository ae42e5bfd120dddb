// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and how their attributes become parameters of the lane code.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/target.h"
#include "families/loss.h"
#include "loops/reductions/sum_all.h"
#include "loops/tiles/elementwise.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_lanes.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_spec.h"

namespace portacl::ops::smooth_l1_loss {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The reciprocals of these values, and their rounding errors, are normal numbers.
bool HasNormalReciprocal(double value) { return value > 0x1p-100 && value < 0x1p100; }

// The simplest fraction within 2^-22 of `beta`: 17/10 for 1.7f. Returns `beta` itself if the numerator would be large.
double FractionNear(double beta) {
  double rest = beta;
  double numerator = 1, denominator = 0, last_numerator = 0, last_denominator = 1;
  while (numerator < 4096) {  // the convergents of its continued fraction
    const double whole = std::floor(rest);
    last_numerator = std::exchange(numerator, whole * numerator + last_numerator);
    last_denominator = std::exchange(denominator, whole * denominator + last_denominator);
    if (std::abs(numerator / denominator - beta) <= beta * 0x1p-22) return numerator / denominator;
    rest = 1 / (rest - whole);
  }
  return beta;
}

// The divisor that replaces beta. A beta like 1.7f is close to a simple fraction, and many results for 16-bit operands
// are therefore close to values with few bits. Rounded to float32 they become ties of the 16-bit formats, which round
// to even although all should round to the same side: 0.2 % of BFLOAT16 gradients and 1 % of losses would not be the
// nearest. Shifting beta by slightly more than the resolution of float32 avoids the ties (at most 0.04 % remain).
double DivisorFor(float beta, bool narrow) {
  const double exact = double{beta};
  if (!narrow || beta == 0 || beta == kInfinity) return exact;
  const double distance = exact - FractionNear(exact);
  return distance == 0 ? exact : exact * (1 + std::copysign(0x1p-22, distance));
}

float RestOf(double exact, float rounded) { return static_cast<float>(exact - static_cast<double>(rounded)); }

// The attributes as the lane code needs them: computed once for a call, in float64. `narrow`: results have 16 bits.
LossParameters LossParametersOf(float beta, bool narrow) {
  const double divisor = DivisorFor(beta, narrow);
  const bool divides = beta != 0 && beta != kInfinity && !HasNormalReciprocal(divisor);
  LossParameters parameters{.beta = beta,
                            .slope = 0,
                            .slope_rest = 0,
                            .divisor = beta == 0 ? 1 : static_cast<float>(divisor),
                            .offset = beta == 0 ? 1.0f : 0.0f,
                            .divides = divides};
  if (beta != 0 && !divides) {
    parameters.slope = static_cast<float>(1 / divisor);
    parameters.slope_rest = RestOf(1 / divisor, parameters.slope);
  }
  return parameters;
}

GradientParameters GradientParametersOf(float beta, double elements, bool narrow) {
  const double divisor = DivisorFor(beta, narrow);
  const double scaled = divisor * elements;  // d / scaled is the quotient, divided by N
  GradientParameters parameters{.limit = beta == 0 ? std::numeric_limits<float>::denorm_min() : beta,
                                .norm = static_cast<float>(1 / elements),
                                .slope = 0,
                                .slope_rest = 0,
                                .divisor = beta == 0 ? 1 : static_cast<float>(scaled),
                                .rescaled_below = 1,
                                .tiny = 0,
                                .rescaling = 1,
                                .rescaled_divisor = 1,
                                .narrow_slope = 0};
  if (beta == 0 || beta == kInfinity) return parameters;  // the quotient is 0, or only its sign matters
  // 16-bit differences are at least 2^-133: a subnormal quotient above 2^-137 still has 12 bits. The rounding error of
  // the slope is acceptable only if the divisor was shifted; otherwise it could create ties.
  const auto narrow_slope = static_cast<float>(1 / divisor);
  const bool has_slope = divisor != double{beta} || RestOf(1 / divisor, narrow_slope) == 0;
  if (narrow && has_slope && beta > 0x1p-20f && beta <= 16) parameters.narrow_slope = narrow_slope;
  // Multiplied by 2^100, the difference must stay finite. With a large divisor the quotient is scaled by another 2^64.
  parameters.tiny = static_cast<float>(std::min(scaled * 0x1p-100, 0x1p27));
  if (scaled > 0x1p64) parameters.rescaling = 0x1p-64f;
  parameters.rescaled_divisor = static_cast<float>(scaled * double{parameters.rescaling});
  if (HasNormalReciprocal(scaled)) {
    parameters.slope = static_cast<float>(1 / scaled);
    parameters.slope_rest = RestOf(1 / scaled, parameters.slope);
    // From 2^-126 on the quotient is a normal number, and from 2^-101 on so is the contribution of slope_rest.
    const double least = parameters.slope_rest == 0 ? 0x1p-126 : 0x1p-100;
    parameters.rescaled_below = std::max(std::bit_cast<uint32_t>(static_cast<float>(scaled * least)), uint32_t{1});
  } else {
    parameters.rescaled_below = std::bit_cast<uint32_t>(kInfinity);
  }
  return parameters;
}

void PlanSmoothL1Loss(exec::PlanBuilder& plan) {
  const int self = plan.Operand(kSmoothL1Loss.Index("self"));
  const int target = plan.Operand(kSmoothL1Loss.Index("target"));
  const int result = plan.Operand(kSmoothL1Loss.Index("result"));
  const auto reduction = plan.Attribute<int64_t>(kSmoothL1Loss.Index("reduction"));
  const auto beta = plan.Attribute<float>(kSmoothL1Loss.Index("beta"));
  if (reduction == families::kNoReduction) {
    const aclDataType dtype = families::CommonFloat(plan, {self, target, result});
    loops::Elementwise(plan, {self, target, result},
                       {.run = LossLanes(dtype, ActiveTarget()),
                        .ns_per_element = 0.15,
                        .repeated = families::kLossRepeated,
                        .dtype = dtype},
                       LossParametersOf(beta, dtype != ACL_FLOAT));
    return;
  }
  const aclDataType dtype = families::CommonFloat(plan, {self, target});
  loops::reductions::Sum(plan, {self, target}, result,
                         {.run = LossSumLanes(dtype, ActiveTarget()),
                          .ns_per_element = 0.15,
                          .repeated = families::kLossRepeated,
                          .dtype = dtype,
                          .mean = reduction == families::kMeanReduction},
                         LossParametersOf(beta, false));
}

void PlanSmoothL1LossBackward(exec::PlanBuilder& plan) {
  const int grad_out = plan.Operand(kSmoothL1LossBackward.Index("gradOut"));
  const int self = plan.Operand(kSmoothL1LossBackward.Index("self"));
  const int target = plan.Operand(kSmoothL1LossBackward.Index("target"));
  const int grad_input = plan.Operand(kSmoothL1LossBackward.Index("gradInput"));
  double elements = 1;
  if (plan.Attribute<int64_t>(kSmoothL1LossBackward.Index("reduction")) == families::kMeanReduction) {
    for (const int64_t size : plan.OperandView(grad_input).dims()) elements *= static_cast<double>(size);
  }
  const auto beta = plan.Attribute<float>(kSmoothL1LossBackward.Index("beta"));
  const aclDataType dtype = families::CommonFloat(plan, {grad_out, self, target, grad_input});
  loops::Elementwise(plan, {grad_out, self, target, grad_input},
                     {.run = GradientLanes(dtype, ActiveTarget()),
                      .ns_per_element = 0.15,
                      .repeated = families::kLossGradientRepeated,
                      .dtype = dtype},
                     GradientParametersOf(beta, elements, dtype != ACL_FLOAT));
}

}  // namespace

}  // namespace portacl::ops::smooth_l1_loss

#include "ops/loss/smooth_l1_loss/smooth_l1_loss_functions.inc"
