// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <initializer_list>
#include <span>

#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/plan.h"
#include "loops/elementwise.h"
#include "loops/reduce.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_lanes.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_spec.h"

namespace portacl::ops::smooth_l1_loss {
namespace {

constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;

// The dtype that the lane code works in: that of all operands, or FLOAT.
aclDataType CommonDtype(const exec::PlanBuilder& plan, std::initializer_list<int> operands) {
  const aclDataType dtype = plan.OperandView(*operands.begin()).dtype;
  for (const int operand : operands) {
    if (plan.OperandView(operand).dtype != dtype) return ACL_FLOAT;
  }
  return dtype;
}

void PlanSmoothL1Loss(exec::PlanBuilder& plan) {
  const int self = plan.Operand(kSmoothL1Loss.Index("self"));
  const int target = plan.Operand(kSmoothL1Loss.Index("target"));
  const int result = plan.Operand(kSmoothL1Loss.Index("result"));
  const auto reduction = plan.Attribute<int64_t>(kSmoothL1Loss.Index("reduction"));
  const auto beta = plan.Attribute<float>(kSmoothL1Loss.Index("beta"));
  if (reduction == kNone) {
    const aclDataType dtype = CommonDtype(plan, {self, target, result});
    loops::Elementwise(plan, {self, target, result},
                       {.run = LossLanes(dtype, ActiveTarget()),
                        .ns_per_element = 0.15,
                        .repeated = kLossRepeated,
                        .in_float = dtype == ACL_FLOAT},
                       LossParametersOf(beta, dtype != ACL_FLOAT));
    return;
  }
  const aclDataType dtype = CommonDtype(plan, {self, target});
  loops::Sum(plan, {self, target}, result,
             {.run = LossSumLanes(dtype, ActiveTarget()),
              .ns_per_element = 0.15,
              .repeated = kLossRepeated,
              .in_float = dtype == ACL_FLOAT,
              .mean = reduction == kMean},
             LossParametersOf(beta, false));
}

void PlanSmoothL1LossBackward(exec::PlanBuilder& plan) {
  const int grad_out = plan.Operand(kSmoothL1LossBackward.Index("gradOut"));
  const int self = plan.Operand(kSmoothL1LossBackward.Index("self"));
  const int target = plan.Operand(kSmoothL1LossBackward.Index("target"));
  const int grad_input = plan.Operand(kSmoothL1LossBackward.Index("gradInput"));
  double elements = 1;
  if (plan.Attribute<int64_t>(kSmoothL1LossBackward.Index("reduction")) == kMean) {
    for (const int64_t size : plan.OperandView(grad_input).dims()) elements *= static_cast<double>(size);
  }
  const auto beta = plan.Attribute<float>(kSmoothL1LossBackward.Index("beta"));
  const aclDataType dtype = CommonDtype(plan, {grad_out, self, target, grad_input});
  loops::Elementwise(plan, {grad_out, self, target, grad_input},
                     {.run = GradientLanes(dtype, ActiveTarget()),
                      .ns_per_element = 0.15,
                      .repeated = kGradientRepeated,
                      .in_float = dtype == ACL_FLOAT},
                     GradientParametersOf(beta, elements, dtype != ACL_FLOAT));
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnSmoothL1LossGetWorkspaceSize, &aclnnSmoothL1Loss>(kSmoothL1Loss),
    exec::Bind<&aclnnSmoothL1LossBackwardGetWorkspaceSize, &aclnnSmoothL1LossBackward>(kSmoothL1LossBackward),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::smooth_l1_loss

extern "C" {

aclnnStatus aclnnSmoothL1LossGetWorkspaceSize(const aclTensor* self, const aclTensor* target, int64_t reduction,
                                              float beta, aclTensor* result, uint64_t* workspaceSize,
                                              aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::smooth_l1_loss::kSmoothL1Loss, {self, target, reduction, beta, result}, workspaceSize,
                        executor, ops::smooth_l1_loss::PlanSmoothL1Loss);
}

aclnnStatus aclnnSmoothL1Loss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::smooth_l1_loss::kSmoothL1Loss, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* self,
                                                      const aclTensor* target, int64_t reduction, float beta,
                                                      aclTensor* gradInput, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::smooth_l1_loss::kSmoothL1LossBackward, {gradOut, self, target, reduction, beta, gradInput},
                        workspaceSize, executor, ops::smooth_l1_loss::PlanSmoothL1LossBackward);
}

aclnnStatus aclnnSmoothL1LossBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::smooth_l1_loss::kSmoothL1LossBackward, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
