// SPDX-License-Identifier: Apache-2.0
// aclnnArgsort. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ARGSORT_H_
#define ACLNNOP_ACLNN_ARGSORT_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnArgsort: out = the places of the elements of self along dim, sorted. Equal elements keep their
/// order, falling too; -0 equals +0; NaN is larger than all numbers.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not on
///                     Ascend910 and Ascend310P.
/// dim            in   any int64.
/// descending     in   true or false.
/// out            out  shape of self; any strides; may be self, or overlap it. INT64.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank not listed, a
/// negative dimension, stride or offset, dim beyond the axes of self, or one twice, another shape of out, a breach of
/// "self: at most 2^31 - 1 elements along dim"). When self has no elements nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnArgsort page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnArgsortGetWorkspaceSize(const aclTensor* self, int64_t dim, bool descending, aclTensor* out,
                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnArgsort(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ARGSORT_H_
