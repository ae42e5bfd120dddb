// SPDX-License-Identifier: Apache-2.0
// Phase 1 of the pair with operands and attributes in the order of operators/scaled_masked_softmax.py.
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "bench/operand_view.h"

BENCH_EXPORT aclnnStatus PlanScaledMaskedSoftmaxBackward(aclTensor* const* operand, const double* attribute,
                                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], attribute[0], false,
                                                          operand[3], workspaceSize, executor);
}

BENCH_EXPORT aclnnStatus PlanScaledMaskedSoftmax(aclTensor* const* operand, const double* attribute,
                                                 uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclnnScaledMaskedSoftmaxGetWorkspaceSize(operand[0], operand[1], attribute[0], false, operand[2],
                                                  workspaceSize, executor);
}
