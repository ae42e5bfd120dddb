// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include "loops/triangle.h"

#include <span>

#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/copy.h"
#include "ops/movement/triangle/triangle_spec.h"

namespace portacl::ops::triangle {
namespace {

void PlanTriangle(exec::PlanBuilder& plan, int self, int out, loops::Side side) {
  if (plan.OperandView(out).rank < 2) return loops::Copy(plan, self, out);
  loops::Triangle(plan, self, out, plan.Attribute<int64_t>("diagonal"), side);
}

void PlanTril(exec::PlanBuilder& plan) {
  PlanTriangle(plan, plan.Input("self"), plan.Output("out"), loops::Side::kLower);
}
void PlanTriu(exec::PlanBuilder& plan) {
  PlanTriangle(plan, plan.Input("self"), plan.Output("out"), loops::Side::kUpper);
}
void PlanInplaceTril(exec::PlanBuilder& plan) {
  PlanTriangle(plan, plan.Output("selfRef"), plan.Output("selfRef"), loops::Side::kLower);
}
void PlanInplaceTriu(exec::PlanBuilder& plan) {
  PlanTriangle(plan, plan.Output("selfRef"), plan.Output("selfRef"), loops::Side::kUpper);
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnTrilGetWorkspaceSize, &aclnnTril>(kTril),
    exec::Bind<&aclnnInplaceTrilGetWorkspaceSize, &aclnnInplaceTril>(kInplaceTril),
    exec::Bind<&aclnnTriuGetWorkspaceSize, &aclnnTriu>(kTriu),
    exec::Bind<&aclnnInplaceTriuGetWorkspaceSize, &aclnnInplaceTriu>(kInplaceTriu),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::triangle

using namespace portacl::ops::triangle;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnTril, kTril, PlanTril, (const aclTensor* self, int64_t diagonal, aclTensor* out), self,
                        diagonal, out)
PORTACL_DEFINE_OPERATOR(aclnnInplaceTril, kInplaceTril, PlanInplaceTril, (const aclTensor* selfRef, int64_t diagonal),
                        selfRef, diagonal)
PORTACL_DEFINE_OPERATOR(aclnnTriu, kTriu, PlanTriu, (const aclTensor* self, int64_t diagonal, aclTensor* out), self,
                        diagonal, out)
PORTACL_DEFINE_OPERATOR(aclnnInplaceTriu, kInplaceTriu, PlanInplaceTriu, (aclTensor * selfRef, int64_t diagonal),
                        selfRef, diagonal)
