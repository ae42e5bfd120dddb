// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNormGrad. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_RMS_NORM_GRAD_H_
#define ACLNNOP_ACLNN_RMS_NORM_GRAD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRmsNormGrad: dxOut = with h = x * rstd: dxOut = rstd * (dy * gamma - h * mean(dy * gamma * h)),
/// dgammaOut = the sum over rows of dy * h.
///
/// dy             in   rank 2..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P.
/// x              in   dtype and shape of dy; any strides.
/// rstd           in   rank 0..8, any strides. FLOAT.
/// gamma          in   rank 1..8, any strides. Dtypes as for dy.
/// dxOut          out  dtype of dy; shape of x; any strides; may overlap dy, x, rstd and gamma; written although it is
///                     const.
/// dgammaOut      out  shape of gamma; any strides; may overlap dy, x, rstd and gamma; written although it is const.
///                     Dtypes as for rstd.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (dy, x, rstd, gamma, dxOut, dgammaOut, workspaceSize or executor is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed,
/// dtypes that differ, a breach of "gamma: dtype of x, or FLOAT", a private format, a rank not listed, a negative
/// dimension, stride or offset, another shape of x, a breach of "gamma: the last axes of x", a breach of "rstd: as many
/// elements as x has rows, such as shape of x with 1 for the axes of gamma", another shape of dxOut, another shape of
/// dgammaOut). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: dxOut: FLOAT 4 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and |rstd| times the
/// row's largest |d| or |h| mean |d h|, d = dy gamma; 2^-4 of it in 16 bits; dgammaOut: FLOAT 4 ULP of the larger of
/// the result and the sum over rows of |dy h|. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs.
/// Same bits for any number of threads. Callable from any thread. Source: aclnnRmsNormGrad page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnRmsNormGradGetWorkspaceSize(const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                                                       const aclTensor* gamma, const aclTensor* dxOut,
                                                       const aclTensor* dgammaOut, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRmsNormGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RMS_NORM_GRAD_H_
