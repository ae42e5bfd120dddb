// SPDX-License-Identifier: Apache-2.0
// aclnnTransMatmulWeight. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H_
#define ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnTransMatmulWeight: mmWeightRef = itself in the format FRACTAL_NZ (29); its elements stay where they
/// are. Matrix products read a tensor of that format by its shape and strides, as one of format ND, and so do copies.
/// This phase changes the format, when all else has succeeded, so that the tensor may be destroyed between the phases;
/// shape, strides, offset and the dims of its storage stay. Phase 2 is a task that has nothing to do: it touches
/// neither the tensor nor its elements.
///
/// mmWeightRef    in, out  rank 2..6, any strides; format ND. FLOAT, FLOAT16, INT8; BFLOAT16 not on Ascend310P.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor or mmWeightRef is null, tested in this order); 561003 (PORTACL_SOC names
/// a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, a format that is not ND, or
/// another than that of mmWeightRef, a rank not listed, a negative dimension, stride or offset). When mmWeightRef has
/// no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnTransMatmulWeight page of the CANN operator documentation; FLOAT is accepted beyond it.
ACLNN_API aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef, uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

/// Elements, not bytes, that a device would need for a matrix in the format FRACTAL_NZ: the last axis but one is
/// rounded up to a multiple of 16, the last one, too, or, where elements have 8 or 32 bits, to one of 32.
///
/// tensorShape       in   2..6 sizes, each above 0.
/// dataType          in   FLOAT16 and BFLOAT16: multiples of 16; any other: 32.
/// weightTensorSize  out  the number. Here elements stay where they are, so that their own number is enough.
///
/// Returns 0; 161001 (tensorShape or weightTensorSize is null, tested in this order); 161002 (not 2..6 sizes, one below
/// 1, or a number beyond 2^63); 361001 (PORTACL_SOC names Ascend910 or Ascend310B). On failure nothing is written.
/// Callable from any thread. Source: aclnnCalculateMatmulWeightSizeV2 page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                                       uint64_t* weightTensorSize);

/// The same for FLOAT16.
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape, uint64_t* weightTensorSize);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H_
