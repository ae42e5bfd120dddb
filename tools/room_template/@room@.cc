// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_@room@.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/elementwise.h"
#include "ops/@family@/@room@/@room@_lanes.h"
#include "ops/@family@/@room@/@room@_spec.h"

namespace portacl::ops::@room@ {
namespace {

void Plan@Room@(exec::PlanBuilder& plan) {
  loops::Elementwise(plan, {plan.Input("self"), plan.Output("out")},
                     {.run = @Room@Lanes(ActiveTarget()), .ns_per_element = 1, .dtype = ACL_FLOAT});
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&@api@GetWorkspaceSize, &@api@>(k@Room@),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::@room@

using namespace portacl::ops::@room@;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(@api@, k@Room@, Plan@Room@, (const aclTensor* self, aclTensor* out), self, out)
