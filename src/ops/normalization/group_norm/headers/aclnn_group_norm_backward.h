// SPDX-License-Identifier: Apache-2.0
// aclnnGroupNormBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H_
#define ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnGroupNormBackward: gradInput = with h = (input - mean) * rstd and d = gradOut * gamma: gradInput =
/// rstd * (d - mean(d) - h * mean(d * h)), means over groups; gradGammaOut and gradBetaOut, the sums over a channel of
/// gradOut * h and of gradOut. A gamma that is not there is 1. What outputMask does not select is not written.
///
/// gradOut        in   rank 2..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// input          in   dtype and shape of gradOut; any strides.
/// mean           in   dtype of gradOut; rank 0..8; any strides.
/// rstd           in   dtype of gradOut; rank 0..8; any strides.
/// gamma          in   dtype of gradOut; rank 0..8; any strides; may be null.
/// N              in   any int64.
/// C              in   any int64.
/// HxW            in   any int64.
/// group          in   at least 1.
/// outputMask     in   bool values.
/// gradInput      out  dtype of gradOut; shape of input; any strides; may overlap gradOut, input, mean, rstd and gamma;
///                     may be null.
/// gradGammaOut   out  dtype of gradOut; rank 0..8; any strides; may overlap gradOut, input, mean, rstd and gamma; may
///                     be null.
/// gradBetaOut    out  dtype of gradOut; rank 0..8; any strides; may overlap gradOut, input, mean, rstd and gamma; may
///                     be null.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOut, input, mean, rstd or outputMask is null, tested in this order);
/// 161002 (a breach of "outputMask: three values"); 161001 (a breach of "outputs that outputMask selects: not NULL");
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that
/// differ, group not at least 1, a breach of "C: a multiple of group", a private format, a rank not listed, a negative
/// dimension, stride or offset, another shape of input, a breach of "N, C, HxW: the sizes of gradOut, HxW of all axes
/// behind the second", a breach of "mean: [N, group]", a breach of "rstd: [N, group]", a breach of "gamma: [C]",
/// another shape of gradInput, a breach of "gradGammaOut: [C]", a breach of "gradBetaOut: [C]"). On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: gradInput: FLOAT 4 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and |rstd| times
/// the group's largest |d| or |h| mean |d h|, d = gradOut gamma; 2^-4 of it in 16 bits; gradGammaOut: FLOAT 4 ULP,
/// FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and the sum of |gradOut h|; 2^-4 of it in 16 bits;
/// gradBetaOut: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-20 of the sum of |gradOut|.
/// FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnGroupNormBackward page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGroupNormBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* input,
                                                             const aclTensor* mean, const aclTensor* rstd,
                                                             const aclTensor* gamma, int64_t N, int64_t C, int64_t HxW,
                                                             int64_t group, const aclBoolArray* outputMask,
                                                             aclTensor* gradInput, aclTensor* gradGammaOut,
                                                             aclTensor* gradBetaOut, uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnGroupNormBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H_
