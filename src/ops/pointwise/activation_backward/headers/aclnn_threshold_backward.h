// SPDX-License-Identifier: Apache-2.0
// aclnnThresholdBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_THRESHOLD_BACKWARD_H_
#define ACLNNOP_ACLNN_THRESHOLD_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnThresholdBackward: out = gradOutput where self > threshold, else 0.
///
/// gradOutput     in   rank 0..8, any strides. FLOAT, FLOAT16, INT8, INT32, UINT8; BFLOAT16 not on Ascend910 and
///                     Ascend310P.
/// self           in   shape of gradOutput; any strides. Dtypes as for gradOutput.
/// threshold      in   a real number of any dtype.
/// out            out  shape: the broadcast of gradOutput and self; any strides; may overlap gradOutput and self.
///                     Dtypes as for gradOutput.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOutput, self, threshold or out is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out
/// that cannot hold results of gradOutput and self, a private format, a rank not listed, a negative dimension, stride
/// or offset, another shape of self, another shape of out). When out has no elements nothing is written. On failure
/// nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnThresholdBackward page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
                                                             const aclScalar* threshold, aclTensor* out,
                                                             uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnThresholdBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_THRESHOLD_BACKWARD_H_
