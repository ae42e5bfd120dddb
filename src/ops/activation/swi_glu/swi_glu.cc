// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/plan.h"
#include "loops/elementwise.h"
#include "ops/activation/swi_glu/swi_glu_lanes.h"
#include "ops/activation/swi_glu/swi_glu_spec.h"

namespace portacl::ops::swi_glu {
namespace {

// The first (0) or second (1) half of an operand along `dim`.
loops::OperandPart Half(const exec::PlanBuilder& plan, int operand, int64_t dim, int number) {
  loops::OperandPart part{operand, plan.OperandView(operand)};
  const int64_t axis = dim < 0 ? dim + part.view->rank : dim;
  part.view->shape[axis] /= 2;
  part.view->offset += number * part.view->shape[axis] * part.view->strides[axis];
  return part;
}

void PlanSwiGlu(exec::PlanBuilder& plan) {
  constexpr int kX = kSwiGlu.Index("x");
  const int x = plan.Operand(kX);
  const auto dim = plan.Attribute<int64_t>(kSwiGlu.Index("dim"));
  loops::Elementwise(plan, {Half(plan, x, dim, 0), Half(plan, x, dim, 1), plan.Operand(kSwiGlu.Index("out"))},
                     {.run = SwiGluLanes(plan.Tensor(kX).dtype, ActiveTarget()), .ns_per_element = 0.3});
}

void PlanSwiGluGrad(exec::PlanBuilder& plan) {
  constexpr int kX = kSwiGluGrad.Index("x");
  const int x = plan.Operand(kX);
  const int out = plan.Operand(kSwiGluGrad.Index("out"));
  const auto dim = plan.Attribute<int64_t>(kSwiGluGrad.Index("dim"));
  loops::Elementwise(
      plan,
      {Half(plan, x, dim, 0), Half(plan, x, dim, 1), plan.Operand(kSwiGluGrad.Index("yGrad")), Half(plan, out, dim, 0),
       Half(plan, out, dim, 1)},
      {.run = SwiGluGradLanes(plan.Tensor(kX).dtype, ActiveTarget()), .ns_per_element = 0.45, .outputs = 2});
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnSwiGluGetWorkspaceSize, &aclnnSwiGlu>(kSwiGlu),
    exec::Bind<&aclnnSwiGluGradGetWorkspaceSize, &aclnnSwiGluGrad>(kSwiGluGrad),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::swi_glu

extern "C" {

aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor* x, int64_t dim, const aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::swi_glu::kSwiGlu, {x, dim, out}, workspaceSize, executor, ops::swi_glu::PlanSwiGlu);
}

aclnnStatus aclnnSwiGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::swi_glu::kSwiGlu, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad, const aclTensor* x, int64_t dim,
                                            const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::swi_glu::kSwiGluGrad, {yGrad, x, dim, out}, workspaceSize, executor,
                        ops::swi_glu::PlanSwiGluGrad);
}

aclnnStatus aclnnSwiGluGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::swi_glu::kSwiGluGrad, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
