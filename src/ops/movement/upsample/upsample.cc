// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/resize.h"
#include "ops/movement/upsample/upsample_spec.h"

namespace portacl::ops::upsample {

namespace {

void PlanUpsampleNearest2d(exec::PlanBuilder& plan) {
  loops::moves::ResizeNearest(plan, plan.Input("self"), HeightAxis(plan.Tensor("self").format), plan.Output("out"));
}

}  // namespace

}  // namespace portacl::ops::upsample

#include "ops/movement/upsample/upsample_functions.inc"
