// SPDX-License-Identifier: Apache-2.0
//
// Plans reductions: chooses the dtype of the computation, the axes and the reducer.
//
//   families::PlanReduction(plan, {.reduction = Reduction::kSum, .mean = true});
#pragma once

#include "exec/plan.h"
#include "families/reduction_lanes.h"

namespace portacl::families {

struct ReductionKernel {
  Reduction reduction;
  bool mean = false;
  bool places = false;  // the only output takes the positions
  double power = 1;     // this and the others as in ReductionParameters
  bool root = false;
  int64_t correction = 0;
};

/// Plans the reduction of the first tensor of the call into its outputs. The axes are given by its array of integers
/// or, without one, its only integer; without one, or if it is empty, all axes are reduced. If an attribute is a dtype, each element is
/// converted to it before it is added or multiplied.
void PlanReduction(exec::PlanBuilder& plan, const ReductionKernel& kernel);

/// Plans that of each tensor of the list `x`, of floating dtypes, into the tensor of the list `out` with its number.
void PlanReductionOfEach(exec::PlanBuilder& plan, int x, int out, const ReductionKernel& kernel);

/// The norm of order `p`: a sum of powers, or its limit for 0, 1, 2 and infinite orders.
ReductionKernel NormOf(float p);

}  // namespace portacl::families
