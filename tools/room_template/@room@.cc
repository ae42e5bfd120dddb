// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_@room@.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/plan.h"
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

extern "C" {

aclnnStatus @api@GetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
@define_indent@aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::@room@::k@Room@, {self, out}, workspaceSize, executor, ops::@room@::Plan@Room@);
}

aclnnStatus @api@(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::@room@::k@Room@, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
