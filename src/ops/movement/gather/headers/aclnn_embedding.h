// SPDX-License-Identifier: Apache-2.0
// aclnnEmbedding. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_EMBEDDING_H_
#define ACLNNOP_ACLNN_EMBEDDING_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnEmbedding: out = the rows of weight that indices name. An index that is negative, or not less than
/// the size of its axis, is found when the call runs: its row is 0, and the stream reports 507015.
///
/// weight         in   rank 1..2, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910, Ascend310P and Ascend310B.
/// indices        in   rank 0..7, any strides. INT32, INT64.
/// out            out  dtype of weight; rank 1..8; any strides; may overlap weight and indices; written although it is
///                     const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, weight, indices or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: ); 161002 (a dtype not listed, dtypes that differ, a private
/// format, a rank not listed, a negative dimension, stride or offset, a breach of "out: shape of indices, and an axis
/// for rows of weight"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnEmbedding page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnEmbeddingGetWorkspaceSize(const aclTensor* weight, const aclTensor* indices,
                                                     const aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnEmbedding(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EMBEDDING_H_
