// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/copy.h"
#include "ops/movement/real/real_spec.h"

namespace portacl::ops::real {
namespace {

void PlanReal(exec::PlanBuilder& plan) { loops::moves::Copy(plan, plan.Input("self"), plan.Output("out")); }

}  // namespace

}  // namespace portacl::ops::real

#include "ops/movement/real/real_functions.inc"
