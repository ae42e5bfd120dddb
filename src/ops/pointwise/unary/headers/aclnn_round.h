// SPDX-License-Identifier: Apache-2.0
// aclnnRound and aclnnRoundDecimals. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ROUND_H_
#define ACLNNOP_ACLNN_ROUND_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRound: out = the nearest whole number, of two the even one. -0 and what becomes 0 keep their signs.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT32, INT64; BFLOAT16 not on Ascend910.
/// out            out  dtype and shape of self; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310P or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private
/// format, a rank not listed, a negative dimension, stride or offset, another shape of out). When self has no elements
/// nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnRound page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRoundGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRound(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnRoundDecimals: out = rint(self * 10^decimals) / 10^decimals; with the reciprocal power for decimals
/// < 0. Each step is rounded, so that a power beyond the dtype gives NaN. Integers are copied for decimals >= 0, else
/// computed in DOUBLE.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT32, INT64; BFLOAT16 not on Ascend910.
/// decimals       in   any int64.
/// out            out  dtype and shape of self; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310P or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private
/// format, a rank not listed, a negative dimension, stride or offset, another shape of out). When self has no elements
/// nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnRoundDecimals page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRoundDecimalsGetWorkspaceSize(const aclTensor* self, int64_t decimals, aclTensor* out,
                                                         uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnRound.
ACLNN_API aclnnStatus aclnnRoundDecimals(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROUND_H_
