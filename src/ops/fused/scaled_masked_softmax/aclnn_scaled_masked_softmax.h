// SPDX-License-Identifier: Apache-2.0
// Softmax of scaled and masked attention scores.
#ifndef ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H_
#define ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of the softmax over the last axis: with c = (float)scale, for each row of S2 elements
///
///   t_j = -10000                  where mask_j is true
///   t_j = x_j * c                 elsewhere
///   y_j = exp(t_j - max t) / sum_k exp(t_k - max t)
///
/// The mask replaces and is no -Inf: what x holds below it does not matter, NaN included; a row that is masked
/// everywhere is 1 / S2 everywhere; and where all of x * c is far below -10000, the masked elements win. NaN or +Inf
/// in x * c gives NaN in the whole row, and so does -Inf in all of it. Results below the smallest normal float, 2^-126,
/// are 0; FLOAT16 keeps the subnormals that it has above.
///
/// x              in   [B, N, S1, S2], 1 <= S2 <= 4096 (Ascend950: 8192); any strides. FLOAT, FLOAT16, BFLOAT16.
/// mask           in   BOOL [B or 1, N or 1, S1, S2]; any strides. A byte that is not 0 is true, and masks.
/// scale          in   any value; CANN's default is 1.
/// fixedTriuMask  in   must be false.
/// y              out  dtype and shape of x; any strides; may be x, or overlap x and mask.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0, also for B, N or S1 = 0, when nothing is written; 161001 (x, mask or y is null); 161002 (a dtype that is
/// not listed, dtypes of x and y that differ, a private format, a rank that is not 4, a negative dimension, stride or
/// offset, another shape of mask, S2 out of range, another shape of y, fixedTriuMask true, in this order); 161001
/// (executor or workspaceSize is null); 561003 (PORTACL_SOC names a product without the operator: it exists on
/// Ascend910B, Ascend910_93 and Ascend950). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 5 ULP, FLOAT16 and BFLOAT16 1 ULP, each of the larger of the result and y * |max t| where |max t| is
/// at least 8192 (1024 without fused multiply-add). FLOAT16 and BFLOAT16 are the nearest value for 99.5 % of random
/// inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnScaledMaskedSoftmax page of the
/// CANN operator documentation; CANN multiplies FLOAT16 by scale in FLOAT16, where large products overflow, this
/// library in FLOAT.
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
