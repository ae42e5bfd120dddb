// SPDX-License-Identifier: Apache-2.0
// aclnnDot. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_DOT_H_
#define ACLNNOP_ACLNN_DOT_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnDot: out = the sum of the products of the elements of self and tensor. A sum of nothing is 0.
/// Integers count modulo 2^n.
///
/// self           in   rank 1, any strides. FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not on Ascend910
///                     and Ascend310P.
/// tensor         in   dtype of self; rank 1; any strides.
/// out            out  dtype of self; rank 0; any strides; may overlap self and tensor.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, tensor or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a rank not
/// listed, a negative dimension, stride or offset, a breach of "tensor: as many elements as self has", a breach of
/// "out: the shape of the product", a private format). On failure nothing is written; aclGetRecentErrMsg() says what
/// and why.
///
/// Accuracy: FLOAT 36 epsilon of the larger of the result and the sum of the magnitudes of what is added, FLOAT16 0.51
/// ULP of the larger of the result and 2^-2 of the same, BFLOAT16 0.51 ULP of the larger of the result and 2^-5 of the
/// same, integers exact. FLOAT16 and BFLOAT16 are the nearest value for 98 % of random inputs. Same bits for any number
/// of threads. Callable from any thread. Source: aclnnDot page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnDotGetWorkspaceSize(const aclTensor* self, const aclTensor* tensor, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnDot(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_DOT_H_
