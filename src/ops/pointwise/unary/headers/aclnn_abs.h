// SPDX-License-Identifier: Apache-2.0
// aclnnAbs. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ABS_H_
#define ACLNNOP_ACLNN_ABS_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnAbs: out = |self|. The least integer stays itself; -0 gives +0. Of complex numbers it is the
/// modulus.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64; BFLOAT16 not on Ascend910 and Ascend310P.
/// out            out  shape of self; any strides; may be self, or overlap it. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                     INT32, INT64, UINT8, BOOL; BFLOAT16 not on Ascend910 and Ascend310P.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, a breach of "out: the dtype of self, or of
/// its parts", a private format, a rank not listed, a negative dimension, stride or offset, another shape of out). When
/// self has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16, DOUBLE, BOOL, BFLOAT16 and integers exact. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnAbs page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnAbsGetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
                                               aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnAbs(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ABS_H_
