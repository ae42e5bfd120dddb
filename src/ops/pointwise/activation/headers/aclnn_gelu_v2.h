// SPDX-License-Identifier: Apache-2.0
// aclnnGeluV2. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_GELU_V2_H_
#define ACLNNOP_ACLNN_GELU_V2_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnGeluV2: y = x * erfc(-x / sqrt 2) / 2 for approximate = 0; the formula of aclnnGelu for 1. -inf
/// gives -0.
///
/// x              in   rank 0..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// approximate    in   0 or 1.
/// y              out  dtype and shape of x; any strides; may be x, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, x or y is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format, a rank
/// not listed, a negative dimension, stride or offset, approximate not 0 or 1, another shape of y). When x has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 2 ULP (2.6 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP. FLOAT16 and BFLOAT16 are the
/// nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnGeluV2 page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGeluV2GetWorkspaceSize(const aclTensor* x, int64_t approximate, aclTensor* y,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnGeluV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GELU_V2_H_
