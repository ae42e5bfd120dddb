// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/elementwise.h"
#include "ops/activation/ge_glu/ge_glu_lanes.h"
#include "ops/activation/ge_glu/ge_glu_spec.h"

namespace portacl::ops::ge_glu {
namespace {

// The first (0) or second (1) half of an operand along `dim`.
loops::OperandPart Half(const exec::PlanBuilder& plan, int operand, int number) {
  loops::OperandPart part{operand, plan.OperandView(operand)};
  const auto dim = plan.Attribute<int64_t>("dim");
  const int64_t axis = dim < 0 ? dim + part.view->rank : dim;
  part.view->shape[axis] /= 2;
  part.view->offset += number * part.view->shape[axis] * part.view->strides[axis];
  return part;
}

// Which half is activated.
int Activated(const exec::PlanBuilder& plan) {
  return plan.schema().Find("activateLeft") >= 0 && plan.Attribute<bool>("activateLeft") ? 0 : 1;
}

bool IsTanh(const exec::PlanBuilder& plan) { return plan.Attribute<int64_t>("approximate") == 1; }

void PlanForward(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const int activated = Activated(plan);
  loops::Elementwise(
      plan, {Half(plan, self, activated), Half(plan, self, 1 - activated), plan.Output("out"), plan.Output("outGelu")},
      {.run = GeGluLanes(plan.OperandView(self).dtype, IsTanh(plan), ActiveTarget()),
       .ns_per_element = 0.6,
       .outputs = 2});
}

void PlanBackward(exec::PlanBuilder& plan) {
  const int self = plan.Input("self");
  const int out = plan.Output("gradInput");
  const int activated = Activated(plan);
  loops::Elementwise(plan,
                     {Half(plan, self, activated), Half(plan, self, 1 - activated), plan.Input("gradOutput"),
                      plan.Input("gelu"), Half(plan, out, activated), Half(plan, out, 1 - activated)},
                     {.run = GeGluBackwardLanes(plan.OperandView(self).dtype, IsTanh(plan), ActiveTarget()),
                      .ns_per_element = 0.8,
                      .outputs = 2});
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnGeGluGetWorkspaceSize, &aclnnGeGlu>(kGeGlu),
    exec::Bind<&aclnnGeGluV3GetWorkspaceSize, &aclnnGeGluV3>(kGeGluV3),
    exec::Bind<&aclnnGeGluBackwardGetWorkspaceSize, &aclnnGeGluBackward>(kGeGluBackward),
    exec::Bind<&aclnnGeGluV3BackwardGetWorkspaceSize, &aclnnGeGluV3Backward>(kGeGluV3Backward),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::ge_glu

using namespace portacl::ops::ge_glu;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnGeGlu, kGeGlu, PlanForward,
                        (const aclTensor* self, int64_t dim, int64_t approximate, aclTensor* out, aclTensor* outGelu),
                        self, dim, approximate, out, outGelu)
PORTACL_DEFINE_OPERATOR(aclnnGeGluV3, kGeGluV3, PlanForward,
                        (const aclTensor* self, int64_t dim, int64_t approximate, bool activateLeft, aclTensor* out,
                         aclTensor* outGelu),
                        self, dim, approximate, activateLeft, out, outGelu)
PORTACL_DEFINE_OPERATOR(aclnnGeGluBackward, kGeGluBackward, PlanBackward,
                        (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim,
                         int64_t approximate, aclTensor* gradInput),
                        gradOutput, self, gelu, dim, approximate, gradInput)
PORTACL_DEFINE_OPERATOR(aclnnGeGluV3Backward, kGeGluV3Backward, PlanBackward,
                        (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim,
                         int64_t approximate, bool activateLeft, aclTensor* gradInput),
                        gradOutput, self, gelu, dim, approximate, activateLeft, gradInput)
