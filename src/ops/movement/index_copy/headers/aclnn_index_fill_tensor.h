// SPDX-License-Identifier: Apache-2.0
// aclnnIndexFillTensor and aclnnInplaceIndexFillTensor. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H_
#define ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnIndexFillTensor: out = self, with value in the rows along dim that index names. Negative indices
/// count from the end.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16, INT32, INT64, BOOL.
/// dim            in   any int64.
/// index          in   int64 values.
/// value          in   a number.
/// out            out  dtype and shape of self; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, index, value or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a
/// dtype not listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, a
/// breach of "value: a number", a breach of "dim: an axis, also where there is but one element", a breach of "index:
/// rows of self along dim", another shape of out). On failure nothing is written; aclGetRecentErrMsg() says what and
/// why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnIndexFillTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnIndexFillTensorGetWorkspaceSize(const aclTensor* self, int64_t dim, const aclIntArray* index,
                                                           const aclScalar* value, aclTensor* out,
                                                           uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnIndexFillTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

/// Phase 1 of aclnnInplaceIndexFillTensor: aclnnIndexFillTensor with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16, INT32, INT64, BOOL.
/// dim            in       any int64.
/// index          in       int64 values.
/// value          in       a number.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef, index or value is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a
/// dtype not listed, a private format, a rank not listed, a negative dimension, stride or offset, a breach of "value: a
/// number", a breach of "dim: an axis, also where there is but one element", a breach of "index: rows of selfRef along
/// dim"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnIndexFillTensor.
ACLNN_API aclnnStatus aclnnInplaceIndexFillTensorGetWorkspaceSize(aclTensor* selfRef, int64_t dim,
                                                                  const aclIntArray* index, const aclScalar* value,
                                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnIndexFillTensor.
ACLNN_API aclnnStatus aclnnInplaceIndexFillTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H_
