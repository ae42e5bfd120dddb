// SPDX-License-Identifier: Apache-2.0
// Not written yet: what the operator is for, in one sentence.
#ifndef ACLNNOP_ACLNN_@ROOM@_H_
#define ACLNNOP_ACLNN_@ROOM@_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of @api@. Not written yet: the formula, special values included.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16.
/// out            out  dtype and shape of self; any strides; may be self or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (self, out, executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (dtype not listed, dtypes
/// or shapes differ, a private format, rank above 8, a negative dimension, stride or offset). On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: not written yet. Same bits for any number of threads. Callable from any thread.
/// Source: not written yet.
ACLNN_API aclnnStatus @api@GetWorkspaceSize(const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
@indent@aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus @api@(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_@ROOM@_H_
