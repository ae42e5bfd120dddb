// SPDX-License-Identifier: Apache-2.0
//
// Plans the operators of this room.
#include "base/target.h"
#include "loops/tiles/elementwise.h"
#include "ops/@family@/@room@/@room@_lanes.h"
#include "ops/@family@/@room@/@room@_spec.h"

namespace portacl::ops::@room@ {
namespace {

void Plan@Name@(exec::PlanBuilder& plan) {
  loops::Elementwise(plan, {plan.Input("self"), plan.Output("out")},
                     {.run = @Room@Lanes(ActiveTarget()), .ns_per_element = 1, .dtype = ACL_FLOAT});
}

}  // namespace
}  // namespace portacl::ops::@room@

#include "ops/@family@/@room@/@room@_functions.inc"
