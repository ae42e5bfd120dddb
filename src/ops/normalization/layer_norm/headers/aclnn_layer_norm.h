// SPDX-License-Identifier: Apache-2.0
// aclnnLayerNorm and aclnnLayerNormWithImplMode. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LAYER_NORM_H_
#define ACLNNOP_ACLNN_LAYER_NORM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLayerNorm: out = (input - mean) * rstd * weightOptional + biasOptional, mean over the axes of
/// normalizedShape, rstd = 1 / sqrt(mean of (input - mean)^2 + eps). Weights that are not there are 1, biases 0. A row
/// with a NaN or an infinite element is NaN. Of rows without elements mean and rstd are NaN.
///
/// input            in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310B.
/// normalizedShape  in   int64 values.
/// weightOptional   in   rank 0..8, any strides; may be null. Dtypes as for input.
/// biasOptional     in   rank 0..8, any strides; may be null. Dtypes as for input.
/// eps              in   any double.
/// out              out  dtype and shape of input; any strides; may overlap input, weightOptional and biasOptional.
/// meanOutOptional  out  rank 0..8, any strides; may overlap input, weightOptional and biasOptional; may be null.
///                       Dtypes as for input.
/// rstdOutOptional  out  rank 0..8, any strides; may overlap input, weightOptional and biasOptional; may be null.
///                       Dtypes as for input.
/// workspaceSize    out  bytes phase 2 needs; always 0.
/// executor         out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, input, normalizedShape or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310P); 161002 (a dtype not listed, a breach of
/// "weightOptional, biasOptional: one dtype, that of input or FLOAT", dtypes that differ, a private format, a rank not
/// listed, a negative dimension, stride or offset, a breach of "normalizedShape: the last axes of input", a breach of
/// "weightOptional: normalizedShape", a breach of "biasOptional: normalizedShape", another shape of out, a breach of
/// "meanOutOptional: shape of input with 1 for the axes of normalizedShape", a breach of "rstdOutOptional: shape of
/// input with 1 for the axes of normalizedShape"). On failure nothing is written; aclGetRecentErrMsg() says what and
/// why.
///
/// Accuracy: out: FLOAT 4 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and |biasOptional| and
/// |weightOptional| max(1, |(input - mean) rstd|, 2^-22 |mean| rstd); 2^-4 of it in 16 bits; meanOutOptional: FLOAT,
/// FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-20 of the row's largest |input|; rstdOutOptional:
/// FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and anything where eps takes away most of the
/// variance. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of
/// threads. Callable from any thread. Source: aclnnLayerNorm&aclnnLayerNormWithImplMode page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnLayerNormGetWorkspaceSize(const aclTensor* input, const aclIntArray* normalizedShape,
                                                     const aclTensor* weightOptional, const aclTensor* biasOptional,
                                                     double eps, aclTensor* out, aclTensor* meanOutOptional,
                                                     aclTensor* rstdOutOptional, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLayerNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

/// Phase 1 of aclnnLayerNormWithImplMode: out = (input - mean) * rstd * weightOptional + biasOptional, mean over the
/// axes of normalizedShape, rstd = 1 / sqrt(mean of (input - mean)^2 + eps). Weights that are not there are 1, biases
/// 0. A row with a NaN or an infinite element is NaN. Of rows without elements mean and rstd are NaN.
///
/// input            in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310B.
/// normalizedShape  in   int64 values.
/// weightOptional   in   rank 0..8, any strides; may be null. Dtypes as for input.
/// biasOptional     in   rank 0..8, any strides; may be null. Dtypes as for input.
/// eps              in   any double.
/// out              out  dtype and shape of input; any strides; may overlap input, weightOptional and biasOptional.
/// meanOutOptional  out  rank 0..8, any strides; may overlap input, weightOptional and biasOptional; may be null.
///                       Dtypes as for input.
/// rstdOutOptional  out  rank 0..8, any strides; may overlap input, weightOptional and biasOptional; may be null.
///                       Dtypes as for input.
/// implMode         in   0 or 1 or 2.
/// workspaceSize    out  bytes phase 2 needs; always 0.
/// executor         out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, input, normalizedShape or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310P); 161002 (a dtype not listed, a breach of
/// "weightOptional, biasOptional: one dtype, that of input or FLOAT", dtypes that differ, a private format, implMode
/// not 0 or 1 or 2, a breach of "implMode 2: all tensors FLOAT16", a rank not listed, a negative dimension, stride or
/// offset, a breach of "normalizedShape: the last axes of input", a breach of "weightOptional: normalizedShape", a
/// breach of "biasOptional: normalizedShape", another shape of out, a breach of "meanOutOptional: shape of input with 1
/// for the axes of normalizedShape", a breach of "rstdOutOptional: shape of input with 1 for the axes of
/// normalizedShape"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: out: FLOAT 4 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and |biasOptional| and
/// |weightOptional| max(1, |(input - mean) rstd|, 2^-22 |mean| rstd); 2^-4 of it in 16 bits; meanOutOptional: FLOAT,
/// FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-20 of the row's largest |input|; rstdOutOptional:
/// FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and anything where eps takes away most of the
/// variance. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of
/// threads. Callable from any thread. Source: aclnnLayerNorm&aclnnLayerNormWithImplMode page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnLayerNormWithImplModeGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional, aclTensor* rstdOutOptional,
    int32_t implMode, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnLayerNorm.
ACLNN_API aclnnStatus aclnnLayerNormWithImplMode(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LAYER_NORM_H_
