// SPDX-License-Identifier: Apache-2.0
// aclnnForeachMulScalar. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_FOREACH_MUL_SCALAR_H_
#define ACLNNOP_ACLNN_FOREACH_MUL_SCALAR_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnForeachMulScalar: out = x * scalar, tensor by tensor. Integers count modulo 2^n.
///
/// x              in   tensors; rank 0..8; any strides. FLOAT, FLOAT16, BFLOAT16, INT32.
/// scalar         in   rank 0..8, any strides. FLOAT, FLOAT16, INT32.
/// out            out  tensors; dtype and shape of x; any strides; may overlap x and scalar; written although it is
///                     const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, x, scalar or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not
/// listed, dtypes that differ, a breach of "scalar: dtype of x, FLOAT for BFLOAT16, either for FLOAT16", a private
/// format, a rank not listed, a negative dimension, stride or offset); 561002 (length of x not at least 1, length of x
/// and length of out that differ, a breach of "scalar: one element", another shape of out). On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, INT32 exact. FLOAT16 and BFLOAT16 are the nearest value
/// for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnForeachMulScalar page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnForeachMulScalarGetWorkspaceSize(const aclTensorList* x, const aclTensor* scalar,
                                                            const aclTensorList* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnForeachMulScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FOREACH_MUL_SCALAR_H_
