// SPDX-License-Identifier: Apache-2.0
// Phase 1 of the pair with operands and attributes in the order of operators/smooth_l1_loss.py.
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "bench/operand_view.h"

BENCH_EXPORT aclnnStatus PlanSmoothL1LossBackward(aclTensor* const* operand, const double* attribute,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclnnSmoothL1LossBackwardGetWorkspaceSize(operand[0], operand[1], operand[2],
                                                   static_cast<int64_t>(attribute[0]), static_cast<float>(attribute[1]),
                                                   operand[3], workspaceSize, executor);
}

BENCH_EXPORT aclnnStatus PlanSmoothL1Loss(aclTensor* const* operand, const double* attribute, uint64_t* workspaceSize,
                                          aclOpExecutor** executor) {
  return aclnnSmoothL1LossGetWorkspaceSize(operand[0], operand[1], static_cast<int64_t>(attribute[0]),
                                           static_cast<float>(attribute[1]), operand[2], workspaceSize, executor);
}
