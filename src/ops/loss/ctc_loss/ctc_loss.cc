// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "exec/bind.h"
#include "exec/plan.h"
#include "ops/loss/ctc_loss/ctc_loss_plan.h"
#include "ops/loss/ctc_loss/ctc_loss_spec.h"

namespace portacl::ops::ctc_loss {
namespace {

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnCtcLossGetWorkspaceSize, &aclnnCtcLoss>(kCtcLoss),
    exec::Bind<&aclnnCtcLossBackwardGetWorkspaceSize, &aclnnCtcLossBackward>(kCtcLossBackward),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::ctc_loss

extern "C" {

aclnnStatus aclnnCtcLossGetWorkspaceSize(const aclTensor* logProbs, const aclTensor* targets,
                                         const aclIntArray* inputLengths, const aclIntArray* targetLengths,
                                         int64_t blank, bool zeroInfinity, aclTensor* negLogLikelihoodOut,
                                         aclTensor* logAlphaOut, uint64_t* workspaceSize, aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(
      ops::ctc_loss::kCtcLoss,
      {logProbs, targets, inputLengths, targetLengths, blank, zeroInfinity, negLogLikelihoodOut, logAlphaOut},
      workspaceSize, executor, ops::ctc_loss::PlanForward);
}

aclnnStatus aclnnCtcLoss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::ctc_loss::kCtcLoss, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnCtcLossBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* logProbs,
                                                 const aclTensor* targets, const aclIntArray* inputLengths,
                                                 const aclIntArray* targetLengths, const aclTensor* negLogLikelihood,
                                                 const aclTensor* logAlpha, int64_t blank, bool zeroInfinity,
                                                 aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(
      ops::ctc_loss::kCtcLossBackward,
      {gradOut, logProbs, targets, inputLengths, targetLengths, negLogLikelihood, logAlpha, blank, zeroInfinity, out},
      workspaceSize, executor, ops::ctc_loss::PlanBackward);
}

aclnnStatus aclnnCtcLossBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::ctc_loss::kCtcLossBackward, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
