// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
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

using namespace portacl::ops::copy;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnInplaceCopy, kInplaceCopy, PlanInplaceCopy, (aclTensor * selfRef, const aclTensor* src),
                        selfRef, src)
PORTACL_DEFINE_OPERATOR(aclnnCast, kCast, PlanCast, (const aclTensor* self, aclDataType dtype, aclTensor* out), self,
                        dtype, out)
