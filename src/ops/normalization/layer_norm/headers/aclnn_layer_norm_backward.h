// SPDX-License-Identifier: Apache-2.0
// aclnnLayerNormBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H_
#define ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLayerNormBackward: gradInputOut = with h = (input - mean) * rstd and d = gradOut * weightOptional:
/// gradInputOut = rstd * (d - mean(d) - h * mean(d * h)); gradWeightOut and gradBiasOut, the sums over rows of gradOut
/// * h and of gradOut. Weights that are not there are 1. What outputMask does not select is not written.
///
/// gradOut          in   shape of input; any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310B.
/// input            in   dtype of gradOut; rank 1..8; any strides.
/// normalizedShape  in   int64 values.
/// mean             in   rank 0..8, any strides. Dtypes as for gradOut.
/// rstd             in   rank 0..8, any strides. Dtypes as for gradOut.
/// weightOptional   in   rank 0..8, any strides; may be null. Dtypes as for gradOut.
/// biasOptional     in   rank 0..8, any strides; may be null. Dtypes as for gradOut.
/// outputMask       in   bool values.
/// gradInputOut     out  dtype of gradOut; shape of input; any strides; may overlap gradOut, input, mean, rstd,
///                       weightOptional and biasOptional; may be null.
/// gradWeightOut    out  rank 0..8, any strides; may overlap gradOut, input, mean, rstd, weightOptional and
///                       biasOptional; may be null. Dtypes as for gradOut.
/// gradBiasOut      out  rank 0..8, any strides; may overlap gradOut, input, mean, rstd, weightOptional and
///                       biasOptional; may be null. Dtypes as for gradOut.
/// workspaceSize    out  bytes phase 2 needs; always 0.
/// executor         out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOut, input, normalizedShape, mean, rstd or outputMask is null,
/// tested in this order); 161002 (a breach of "outputMask: three values"); 161001 (a breach of "outputs that outputMask
/// selects: not NULL"); 561003 (PORTACL_SOC names a product without the operator: Ascend310P); 161002 (a dtype not
/// listed, dtypes that differ, a breach of "weightOptional, biasOptional: one dtype, that of input or FLOAT", a private
/// format, a rank not listed, a negative dimension, stride or offset, a breach of "normalizedShape: the last axes of
/// input", another shape of gradOut, a breach of "mean: shape of input with 1 for the axes of normalizedShape", a
/// breach of "rstd: shape of input with 1 for the axes of normalizedShape", a breach of "weightOptional:
/// normalizedShape", a breach of "biasOptional: normalizedShape", another shape of gradInputOut, a breach of
/// "gradWeightOut: normalizedShape", a breach of "gradBiasOut: normalizedShape"). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: gradInputOut: FLOAT 4 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and |rstd|
/// times the row's largest |d| or |h| mean |d h|, d = gradOut weightOptional; 2^-4 of it in 16 bits; gradWeightOut:
/// FLOAT 4 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and the sum over rows of |gradOut h|;
/// 2^-4 of it in 16 bits; gradBiasOut: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-20 of
/// the sum over rows of |gradOut|. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits
/// for any number of threads. Callable from any thread. Source: aclnnLayerNormBackward page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* input,
                                                             const aclIntArray* normalizedShape, const aclTensor* mean,
                                                             const aclTensor* rstd, const aclTensor* weightOptional,
                                                             const aclTensor* biasOptional,
                                                             const aclBoolArray* outputMask, aclTensor* gradInputOut,
                                                             aclTensor* gradWeightOut, aclTensor* gradBiasOut,
                                                             uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLayerNormBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H_
