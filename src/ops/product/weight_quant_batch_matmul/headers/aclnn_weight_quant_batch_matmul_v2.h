// SPDX-License-Identifier: Apache-2.0
// aclnnWeightQuantBatchMatmulV2. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H_
#define ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnWeightQuantBatchMatmulV2: y = x w + biasOptional, with w = (weight + antiquantOffsetOptional)
/// antiquantScale. Scale and offset belong to all of weight, to a column of it, or, where antiquantGroupSize is not 0,
/// to as many elements of a column. A weight of format FRACTAL_NZ is read as one of ND. Where float32 cannot hold w or
/// a sum, or a product of an infinity and 0 or of a NaN occurs, y is infinite or NaN.
///
/// x                        in   rank 2, any strides. FLOAT16; BFLOAT16 not on Ascend310P.
/// weight                   in   rank 2, any strides. INT8, INT4.
/// antiquantScale           in   dtype of x; rank 1..2; any strides.
/// antiquantOffsetOptional  in   dtype of x; shape of antiquantScale; any strides; may be null.
/// quantScaleOptional       in   rank 0..8, any strides; may be null. FLOAT, UINT64.
/// quantOffsetOptional      in   rank 0..8, any strides; may be null. FLOAT.
/// biasOptional             in   rank 1..2, any strides; may be null.
/// antiquantGroupSize       in   any int32.
/// y                        out  dtype of x; rank 2; any strides; may overlap x, weight, antiquantScale,
///                               antiquantOffsetOptional, quantScaleOptional, quantOffsetOptional and biasOptional;
///                               written although it is const.
/// workspaceSize            out  bytes phase 2 needs; always 0.
/// executor                 out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, x, weight, antiquantScale or y is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, dtypes that
/// differ, a breach of "biasOptional: FLOAT16 where x is, otherwise FLOAT or BFLOAT16", a breach of
/// "quantOffsetOptional: NULL where quantScaleOptional is"); 561003 (a breach of "quantScaleOptional: NULL, and y: not
/// INT8, which is not computed yet"); 161002 (a private format, a breach of "the weight: no private format but
/// FRACTAL_NZ, without blocks of storage", a rank not listed, a negative dimension, stride or offset, a breach of
/// "antiquantGroupSize: 0, or a positive multiple of 32", size of x along axis 1 and size of weight along axis 0 that
/// differ, a breach of "weight: of INT4 an even size of an axis with stride 1", a breach of "antiquantScale: with
/// antiquantGroupSize g [k / g rounded up, n], without [1], [1,1], [n] or [1,n]", another shape of
/// antiquantOffsetOptional, a breach of "biasOptional: [n] or [1,n]", a breach of "y: rows of x, columns of weight").
/// On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-6 of the sum of the terms' magnitudes.
/// FLOAT16 and BFLOAT16 are the nearest value for 99 % of random inputs. Same bits for any number of threads. Callable
/// from any thread. Source: aclnnWeightQuantBatchMatmulV2 page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional, const aclTensor* quantOffsetOptional,
    const aclTensor* biasOptional, int32_t antiquantGroupSize, const aclTensor* y, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H_
