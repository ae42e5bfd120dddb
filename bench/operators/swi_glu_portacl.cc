// SPDX-License-Identifier: Apache-2.0
// Phase 1 of the pair with operands and attributes in the order of operators/swi_glu.py.
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "bench/operand_view.h"

BENCH_EXPORT aclnnStatus PlanSwiGluGrad(aclTensor* const* operand, const double* attribute, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return aclnnSwiGluGradGetWorkspaceSize(operand[0], operand[1], static_cast<int64_t>(attribute[0]), operand[2],
                                         workspaceSize, executor);
}

BENCH_EXPORT aclnnStatus PlanSwiGlu(aclTensor* const* operand, const double* attribute, uint64_t* workspaceSize,
                                    aclOpExecutor** executor) {
  return aclnnSwiGluGetWorkspaceSize(operand[0], static_cast<int64_t>(attribute[0]), operand[1], workspaceSize,
                                     executor);
}
