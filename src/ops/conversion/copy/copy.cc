// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "exec/bind.h"
#include "exec/plan.h"
#include "loops/copy.h"
#include "ops/conversion/copy/copy_spec.h"

namespace portacl::ops::copy {
namespace {

void PlanInplaceCopy(exec::PlanBuilder& plan) {
  loops::Copy(plan, plan.Operand(kInplaceCopy.Index("src")), plan.Operand(kInplaceCopy.Index("selfRef")));
}

void PlanCast(exec::PlanBuilder& plan) {
  loops::Copy(plan, plan.Operand(kCast.Index("self")), plan.Operand(kCast.Index("out")));
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(kInplaceCopy),
    exec::Bind<&aclnnCastGetWorkspaceSize, &aclnnCast>(kCast),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::copy

extern "C" {

aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor* selfRef, const aclTensor* src, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::copy::kInplaceCopy, {selfRef, src}, workspaceSize, executor, ops::copy::PlanInplaceCopy);
}

aclnnStatus aclnnInplaceCopy(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::copy::kInplaceCopy, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor* self, const aclDataType dtype, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::copy::kCast, {self, dtype, out}, workspaceSize, executor, ops::copy::PlanCast);
}

aclnnStatus aclnnCast(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::copy::kCast, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
