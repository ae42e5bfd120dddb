// SPDX-License-Identifier: Apache-2.0
// aclnnEinsum. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_EINSUM_H_
#define ACLNNOP_ACLNN_EINSUM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnEinsum: output = where equation is "a,b->ab", the products of each element of one vector and each of
/// the other; where it is "abcd,abced->abce", the sums over d of such products. Integers count modulo 2^n. A sum of
/// nothing is 0.
///
/// tensors        in   tensors; rank 1..5; any strides. FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, UINT16,
///                     UINT32, UINT64.
/// equation       in   a string.
/// output         out  dtype of tensors; rank 0..8; any strides; may be tensors, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, tensors, equation or output is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend910 or Ascend310B); 161002 (length of tensors not 2, a
/// dtype not listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, a
/// breach of "equation: a,b->ab or abcd,abced->abce", a breach of "tensors: the axes of equation, one size for a
/// letter", a breach of "output: the axes behind the arrow"). When output has no elements nothing is written. On
/// failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT and FLOAT16 0.51 ULP of the larger of the result and 2^-16 of the sum of the terms' magnitudes,
/// UINT16, UINT32, UINT64 and integers exact. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs.
/// Same bits for any number of threads. Callable from any thread. Source: aclnnEinsum page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnEinsumGetWorkspaceSize(const aclTensorList* tensors, const char* equation, aclTensor* output,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnEinsum(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_EINSUM_H_
