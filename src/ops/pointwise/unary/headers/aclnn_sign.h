// SPDX-License-Identifier: Apache-2.0
// aclnnSign. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SIGN_H_
#define ACLNNOP_ACLNN_SIGN_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSign: result = 1 where self > 0, -1 where self < 0, else 0. NaN and both zeros give +0. Complex
/// numbers are divided by their moduli, 0 gives 0.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT32, INT64, BOOL, COMPLEX64,
///                     COMPLEX128.
/// result         out  dtype and shape of self; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or result is null, tested in this order); 561003 (PORTACL_SOC names
/// a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, another shape of
/// result). When self has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what
/// and why.
///
/// Accuracy: FLOAT, FLOAT16, INT32, INT64, DOUBLE, BOOL and BFLOAT16 exact, COMPLEX64 0.51 ULP in each part, COMPLEX128
/// 2 ULP in each part, each of the larger of the result and the modulus of a complex result. Same bits for any number
/// of threads. Callable from any thread. Source: aclnnSign page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnSignGetWorkspaceSize(const aclTensor* self, aclTensor* result, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSign(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SIGN_H_
