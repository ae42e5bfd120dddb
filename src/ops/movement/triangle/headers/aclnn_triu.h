// SPDX-License-Identifier: Apache-2.0
// aclnnTriu and aclnnInplaceTriu. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_TRIU_H_
#define ACLNNOP_ACLNN_TRIU_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnTriu: out = out[i, j] = self[i, j] where j >= i + diagonal, else 0, of the last two axes. What is
/// not kept is 0, NaN too. Any diagonal will do, also beyond the matrix.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16,
///                     UINT32, UINT64, BOOL; BFLOAT16 not on Ascend910 and Ascend310P.
/// diagonal       in   any int64.
/// out            out  dtype and shape of self; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format, a rank
/// not listed, a negative dimension, stride or offset, a breach of "self: rank 0, or from 2 to 8", another shape of
/// out). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnTriu page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnTriuGetWorkspaceSize(const aclTensor* self, int64_t diagonal, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnTriu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceTriu: aclnnTriu with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16,
///                         UINT32, UINT64, BOOL; BFLOAT16 not on Ascend910 and Ascend310P.
/// diagonal       in       any int64.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor or selfRef is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank not listed, a
/// negative dimension, stride or offset, a breach of "selfRef: rank 0, or from 2 to 8"). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnTriu.
ACLNN_API aclnnStatus aclnnInplaceTriuGetWorkspaceSize(aclTensor* selfRef, int64_t diagonal, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

/// Phase 2, as that of aclnnTriu.
ACLNN_API aclnnStatus aclnnInplaceTriu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRIU_H_
