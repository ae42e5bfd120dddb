// SPDX-License-Identifier: Apache-2.0
// aclnnSwiGluGrad. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SWI_GLU_GRAD_H_
#define ACLNNOP_ACLNN_SWI_GLU_GRAD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSwiGluGrad: out = yGrad * B * q * (1 + A * (1 - q)), then yGrad * A * q; A, B: halves of x along
/// dim, q = sigmoid(A). A is the first half, sigmoid(a) = 1 / (1 + exp(-a)). The two halves of out along dim are
///
///   outA = yGrad * B * q * (1 + A * (1 - q))
///   outB = yGrad * A * q
///
/// NaN and -inf in A give NaN in both halves, inf gives NaN in outA and inf * yGrad in outB. B does not affect outB. As
/// in float64, q is 0 below A = -709.78. Results below the smallest normal number of their dtype are subnormals, or 0
/// with their sign where q is below 2^-126. Mind the order: yGrad first, then x. CANN's default of dim is -1. On
/// Ascend310P the bytes of one half, counted from axis dim on, are a multiple of 64. Up to about release 8.2 the
/// operator's page printed q * (1 - q * A) in place of q * (1 + A * (1 - q)), which is not the derivative.
///
/// yGrad          in   shape of x with half the size along dim; any strides. FLOAT, FLOAT16; BFLOAT16 not on
///                     Ascend310P.
/// x              in   dtype of yGrad; rank 1..8; any strides.
/// dim            in   an axis of x, -rank..rank-1.
/// out            out  dtype of yGrad; shape of x; any strides; may overlap yGrad and x; written although it is const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (yGrad, x, out, executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a
/// private format, a rank not listed, a negative dimension, stride or offset, dim out of range, a size of x along dim
/// that is no multiple of 2, another shape of yGrad, another shape of out, no elements in x); 561002 (a breach of
/// "halves aligned on Ascend310P"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 7 ULP in outA of the larger of the result and |yGrad * B * q|, FLOAT 4 ULP in outB, FLOAT16 and
/// BFLOAT16 1 ULP; 0 may stand for FLOAT and BFLOAT16 subnormals. FLOAT16 and BFLOAT16 are the nearest value for 99.9 %
/// of random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnSwiGluGrad page of the
/// CANN operator documentation.
ACLNN_API aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad, const aclTensor* x, int64_t dim,
                                                      const aclTensor* out, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSwiGluGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SWI_GLU_GRAD_H_
