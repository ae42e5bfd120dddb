// SPDX-License-Identifier: Apache-2.0
// Phase 1 of the pair with operands and attributes in the order of operators/logit.py.
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "bench/operand_view.h"

BENCH_EXPORT aclnnStatus PlanLogitGrad(aclTensor* const* operand, const double* attribute, uint64_t* workspaceSize,
                                       aclOpExecutor** executor) {
  return aclnnLogitGradGetWorkspaceSize(operand[0], operand[1], attribute[0], operand[2], workspaceSize, executor);
}

BENCH_EXPORT aclnnStatus PlanLogit(aclTensor* const* operand, const double* attribute, uint64_t* workspaceSize,
                                   aclOpExecutor** executor) {
  return aclnnLogitGetWorkspaceSize(operand[0], attribute[0], operand[1], workspaceSize, executor);
}
