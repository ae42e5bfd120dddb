// SPDX-License-Identifier: Apache-2.0
// aclnnIndexCopy and aclnnInplaceIndexCopy. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_INDEX_COPY_H_
#define ACLNNOP_ACLNN_INDEX_COPY_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnIndexCopy: outRef = selfRef, with the rows along dim that index names replaced by those of source.
/// An index that is negative, or not less than the size of its axis, is found when the call runs: its row of source is
/// passed over, and the stream reports 507015. Of equal indices the last counts.
///
/// selfRef        in   rank 0..8, any strides; written although it is const. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8,
///                     INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128.
/// dim            in   any int64.
/// index          in   rank 0..1, any strides. INT32, INT64.
/// source         in   dtype of selfRef; rank 0..8; any strides.
/// outRef         out  dtype and shape of selfRef; any strides; may overlap selfRef, index and source.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef, index, source or outRef is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a
/// dtype not listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, a
/// breach of "dim: an axis, also where there is but one element", a breach of "source: shape of selfRef with the
/// elements of index along dim", another shape of outRef). On failure nothing is written; aclGetRecentErrMsg() says
/// what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnIndexCopy page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
                                                     const aclTensor* source, aclTensor* outRef,
                                                     uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnIndexCopy(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

/// Phase 1 of aclnnInplaceIndexCopy: aclnnIndexCopy with selfRef as outRef.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap index and source. FLOAT, FLOAT16, BFLOAT16, DOUBLE,
///                         INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128.
/// dim            in       any int64.
/// index          in       rank 0..1, any strides. INT32, INT64.
/// source         in       dtype of selfRef; rank 0..8; any strides.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef, index or source is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a
/// dtype not listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, a
/// breach of "dim: an axis, also where there is but one element", a breach of "source: shape of selfRef with the
/// elements of index along dim"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnIndexCopy.
ACLNN_API aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(aclTensor* selfRef, int64_t dim, const aclTensor* index,
                                                            const aclTensor* source, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

/// Phase 2, as that of aclnnIndexCopy.
ACLNN_API aclnnStatus aclnnInplaceIndexCopy(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INDEX_COPY_H_
