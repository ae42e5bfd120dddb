// SPDX-License-Identifier: Apache-2.0
// aclnnAddRmsNorm. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ADD_RMS_NORM_H_
#define ACLNNOP_ACLNN_ADD_RMS_NORM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnAddRmsNorm: yOut = xOut = x1 + x2; yOut = x * rstd * gamma, rstd = 1 / sqrt(mean of x^2 over the
/// axes of gamma + epsilon), x being the float32 sum of x1 and x2. A row with a NaN is NaN; in one with an infinite
/// element that is NaN, and others are 0. rstdOut is written in row-major order, whatever its shape. Where xOut is the
/// same view as yOut, yOut remains.
///
/// x1             in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P.
/// x2             in   dtype and shape of x1; any strides.
/// gamma          in   dtype of x1; rank 1..8; any strides.
/// epsilon        in   at least 0.
/// yOut           out  dtype and shape of x1; any strides; may overlap x1, x2 and gamma.
/// rstdOut        out  rank 0..8, any strides; may overlap x1, x2 and gamma; may be null. FLOAT.
/// xOut           out  dtype and shape of x1; any strides; may overlap x1, x2 and gamma; may be null.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, x1, x2, gamma or yOut is null, tested in this order, a breach of
/// "rstdOut, xOut: not NULL, but where dtypes have 16 bits and gamma is [1, last axis]"); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private
/// format, a rank not listed, a negative dimension, stride or offset, epsilon not at least 0, another shape of x2, a
/// breach of "gamma: the last axes of x1, or [1, last axis]", another shape of yOut, a breach of "rstdOut: as many
/// elements as x has rows, such as shape of x with 1 for the axes of gamma", another shape of xOut). On failure nothing
/// is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: yOut: FLOAT 3 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and 2^-126 |gamma|;
/// rstdOut: FLOAT 0.51 ULP of the larger of the result and anything where epsilon takes away most of the mean square;
/// xOut: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs.
/// Same bits for any number of threads. Callable from any thread. Source: aclnnAddRmsNorm page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnAddRmsNormGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
                                                      double epsilon, aclTensor* yOut, aclTensor* rstdOut,
                                                      aclTensor* xOut, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnAddRmsNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_RMS_NORM_H_
