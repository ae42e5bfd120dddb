// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "families/reduction.h"
#include "ops/reduction/extreme/extreme_spec.h"

namespace portacl::ops::extreme {
namespace {

template <Reduction kReduction, bool kPlaces = false>
void Plan(exec::PlanBuilder& plan) {
  PlanReduction(plan, {.reduction = kReduction, .places = kPlaces});
}

constexpr exec::PlanFunction PlanAmax = Plan<Reduction::kMaximum>;
constexpr exec::PlanFunction PlanAmin = Plan<Reduction::kMinimum>;
constexpr exec::PlanFunction PlanMax = Plan<Reduction::kMaximum>;
constexpr exec::PlanFunction PlanMin = Plan<Reduction::kMinimum>;
constexpr exec::PlanFunction PlanAll = Plan<Reduction::kAllTrue>;
constexpr exec::PlanFunction PlanAny = Plan<Reduction::kAnyTrue>;
constexpr exec::PlanFunction PlanArgMax = (Plan<Reduction::kFirstMaximum, true>);
constexpr exec::PlanFunction PlanArgMin = (Plan<Reduction::kFirstMinimum, true>);
constexpr exec::PlanFunction PlanMaxDim = Plan<Reduction::kFirstMaximum>;
constexpr exec::PlanFunction PlanMinDim = Plan<Reduction::kFirstMinimum>;

}  // namespace

}  // namespace portacl::ops::extreme

#include "ops/reduction/extreme/extreme_functions.inc"
