// SPDX-License-Identifier: Apache-2.0
// aclnnHardswishBackwardV2. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_HARDSWISH_BACKWARD_V2_H_
#define ACLNNOP_ACLNN_HARDSWISH_BACKWARD_V2_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnHardswishBackwardV2: out = gradOutput * (self / 3 + 1 / 2) where -3 < self < 3, 0 below, gradOutput
/// above.
///
/// gradOutput     in   rank 0..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// self           in   shape of gradOutput; any strides. Dtypes as for gradOutput.
/// out            out  shape: the broadcast of gradOutput and self; any strides; may overlap gradOutput and self.
///                     Dtypes as for gradOutput.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOutput, self or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out that
/// cannot hold results of gradOutput and self, a private format, a rank not listed, a negative dimension, stride or
/// offset, another shape of self, another shape of out). When out has no elements nothing is written. On failure
/// nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3 ULP, FLOAT16 and BFLOAT16 0.52 ULP, each of the larger of the result and gradOutput. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnHardswishBackwardV2 page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnHardswishBackwardV2GetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
                                                               aclTensor* out, uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnHardswishBackwardV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_HARDSWISH_BACKWARD_V2_H_
