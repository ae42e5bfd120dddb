// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNorm. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_RMS_NORM_H_
#define ACLNNOP_ACLNN_RMS_NORM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRmsNorm: yOut = x * rstd * gamma, rstd = 1 / sqrt(mean of x^2 over the axes of gamma + epsilon). A
/// row with a NaN is NaN; in one with an infinite element that is NaN, and others are 0. rstdOut is written in
/// row-major order, whatever its shape.
///
/// x              in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P.
/// gamma          in   rank 1..8, any strides. Dtypes as for x.
/// epsilon        in   any double.
/// yOut           out  dtype and shape of x; any strides; may overlap x and gamma; written although it is const.
/// rstdOut        out  rank 0..8, any strides; may overlap x and gamma; written although it is const. FLOAT.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (x, gamma, yOut, rstdOut, workspaceSize or executor is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, a breach of
/// "gamma: dtype of x, or FLOAT", dtypes that differ, a private format, a rank not listed, a negative dimension, stride
/// or offset, a breach of "gamma: the last axes of x", another shape of yOut, a breach of "rstdOut: as many elements as
/// x has rows, such as shape of x with 1 for the axes of gamma"). On failure nothing is written; aclGetRecentErrMsg()
/// says what and why.
///
/// Accuracy: yOut: FLOAT 3 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and 2^-126 |gamma|;
/// rstdOut: FLOAT 0.51 ULP of the larger of the result and anything where epsilon takes away most of the mean square.
/// FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnRmsNorm page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRmsNormGetWorkspaceSize(const aclTensor* x, const aclTensor* gamma, double epsilon,
                                                   const aclTensor* yOut, const aclTensor* rstdOut,
                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRmsNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RMS_NORM_H_
