// SPDX-License-Identifier: Apache-2.0
// Gradient of the smooth L1 loss.
#ifndef ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of the gradient of the smooth L1 loss. With d = self_i - target_i, rounded to float, and g = gradOut_i:
///
///   |d| < beta    u = d / beta
///   otherwise     u = sign(d), which is 0 for d = 0, and NaN for a NaN
///
///   reduction 0 (none), 2 (sum)   gradInput_i = u * g
///   reduction 1 (mean)            gradInput_i = u * g / N, N being the number of elements of gradInput
///
/// So beta = 0 gives sign(d) * g, and beta = Inf gives 0 for finite d and sign(d) * g for infinite d. Inf - Inf is NaN,
/// and so is 0 * Inf, where u is 0 and g infinite. Results below the smallest normal number of their dtype are
/// subnormals.
///
/// gradOut        in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16 (not on Ascend310P and Ascend910). Broadcast
///                     with self and target: each element counts wherever it is broadcast to, for every reduction.
/// self           in   the same; its dtype need not be that of gradOut.
/// target         in   the same.
/// reduction      in   0 none, 1 mean, 2 sum.
/// beta           in   >= 0; Inf is allowed.
/// gradInput      out  any of these dtypes; exactly the shape of the broadcast of gradOut, self and target (it is not
///                     summed to the shape of self); any strides; may be an input, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOut, self, target or gradInput is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator, as Ascend310B is); 161002 (a dtype that is not listed,
/// rank above 8, another reduction, beta negative or NaN, shapes that do not broadcast or a gradInput of another shape,
/// a private format, a negative dimension, stride or offset). An input without elements succeeds, and nothing is
/// written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 2.5 ULP where reduction is 0 or 2, FLOAT 3.5 ULP where reduction is 1, FLOAT16 and BFLOAT16 1 ULP.
/// FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of the inputs. Whatever the dtypes, everything is computed in
/// float32 and rounded once. Same bits for any number of threads and any instruction set with fused multiply-add.
/// Callable from any thread. Source: aclnnSmoothL1LossBackward page of the CANN operator documentation, whose sign(0) =
/// 0 decides for beta = 0, and whose "number of elements in the output" is N.
ACLNN_API aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* self,
                                                                const aclTensor* target, int64_t reduction, float beta,
                                                                aclTensor* gradInput, uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSmoothL1LossBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_
