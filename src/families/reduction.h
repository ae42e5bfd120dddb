// SPDX-License-Identifier: Apache-2.0
//
// Plans of reductions: the dtype to compute in, the axes, the reducer.
//
//   families::PlanReduction(plan, {.reduction = Reduction::kSum, .mean = true});
#pragma once

#include "exec/plan.h"
#include "families/reduction_lanes.h"

namespace portacl::families {

struct ReductionKernel {
  Reduction reduction;
  bool mean = false;
  bool places = false;  // the only output takes the places
  double power = 1;     // as of ReductionParameters
};

/// Plans the reduction of the first tensor of the call along the axes that its only integer or array of integers names
/// (all where there is neither, or where it is empty) into its outputs. Where an attribute is a dtype, each element
/// becomes one of it before it is added or multiplied.
void PlanReduction(exec::PlanBuilder& plan, const ReductionKernel& kernel);

/// The norm of order `p`: a sum of powers, or what that is for 0, 1, 2 and infinite orders.
ReductionKernel NormOf(float p);

}  // namespace portacl::families
