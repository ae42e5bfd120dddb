// SPDX-License-Identifier: Apache-2.0
// aclnnScaledMaskedSoftmax. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H_
#define ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnScaledMaskedSoftmax: y = softmax over the last axis of t = mask ? -10000 : x * scale. With c =
/// (float)scale, for each row of S2 elements
///
///   t_j = -10000    where mask_j is true
///   t_j = x_j * c   elsewhere
///   y_j = exp(t_j - max t) / sum_k exp(t_k - max t)
///
/// The mask replaces and is no -inf: what x holds below it does not matter, NaN included; a row that is masked
/// everywhere is 1 / S2 everywhere; and where all of x * c is far below -10000, the masked elements win. NaN or inf in
/// x * c gives NaN in the whole row, and so does -inf in all of it. Results below the smallest normal float, 2^-126,
/// are 0; FLOAT16 keeps the subnormals that it has above. x is [B, N, S1, S2] with 1 <= S2 <= 4096, on Ascend950 8192,
/// and mask [B or 1, N or 1, S1, S2]; a byte that is not 0 is true, and masks. CANN's default of scale is 1. CANN
/// multiplies FLOAT16 by scale in FLOAT16, where large products overflow, this library in FLOAT.
///
/// x              in   rank 4, any strides. FLOAT, FLOAT16, BFLOAT16.
/// mask           in   rank 4, any strides. BOOL.
/// scale          in   any double.
/// fixedTriuMask  in   0.
/// y              out  dtype and shape of x; any strides; may overlap x and mask.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (x, mask or y is null, tested in this order); 161002 (a dtype not listed, dtypes that differ, a
/// private format, a rank not listed, a negative dimension, stride or offset, size of x along axis 0 and size of mask
/// along axis 0 that differ and are not 1, size of x along axis 1 and size of mask along axis 1 that differ and are not
/// 1, size of x along axis 2 and size of mask along axis 2 that differ, size of x along axis 3 and size of mask along
/// axis 3 that differ, size of x along axis 3 not from 1 to 4096, another shape of y, fixedTriuMask not 0); 161001
/// (executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC names a product without the operator:
/// it exists on Ascend910B, Ascend910_93 and Ascend950). When x has no elements nothing is written. On failure nothing
/// is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 5 ULP, FLOAT16 and BFLOAT16 1 ULP, each of the larger of the result and y * |max t| where |max t| is
/// at least 8192 (1024 without fused multiply-add). FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random
/// inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnScaledMaskedSoftmax page of the
/// CANN operator documentation.
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmaxGetWorkspaceSize(const aclTensor* x, const aclTensor* mask, double scale,
                                                               bool fixedTriuMask, aclTensor* y,
                                                               uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H_
