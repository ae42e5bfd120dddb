// SPDX-License-Identifier: Apache-2.0
// The smooth L1 loss.
#ifndef ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H_
#define ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of the smooth L1 loss. With d = self_i - target_i, rounded to float:
///
///   |d| < beta    l_i = 0.5 * d * (d / beta)
///   otherwise     l_i = |d| - 0.5 * beta; NaN for a NaN
///
///   reduction 0 (none)   result_i = l_i
///   reduction 1 (mean)   result = sum of all l_i, divided by their number
///   reduction 2 (sum)    result = sum of all l_i
///
/// So beta = 0 gives |d|, and beta = Inf gives 0 for finite d and NaN for infinite d. Results below the smallest normal
/// number of their dtype are subnormals.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16 (not on Ascend310P and Ascend910).
/// target         in   the same; broadcast with self, its dtype need not be that of self.
/// reduction      in   0 none, 1 mean, 2 sum.
/// beta           in   >= 0; Inf is allowed.
/// result         out  FLOAT, FLOAT16, BFLOAT16 or DOUBLE. none: exactly the shape of the broadcast of self and target,
///                     any strides; may be an input, or overlap it. mean, sum: one element, of any rank up to 8.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, target or result is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator, as Ascend310B is); 161002 (a dtype that is not listed, another
/// reduction, rank above 8, shapes that do not broadcast or a result of another shape, beta negative or NaN, a private
/// format, a negative dimension, stride or offset). Without elements in self or target the call succeeds: the mean is
/// NaN, the sum 0. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3.5 ULP where reduction is 0, FLOAT 4 epsilon where reduction is 1 or 2, FLOAT16 and BFLOAT16 1 ULP,
/// DOUBLE 3.5 ULP of FLOAT where reduction is 0, DOUBLE 3.5 epsilon of FLOAT where reduction is 1 or 2. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of the inputs; a DOUBLE holds the float32 loss. Sum and mean are within 1
/// ULP of the exact sum of the float32 losses. An epsilon is 2^-23. Whatever the dtypes, losses are float32 and a
/// result is rounded once. Same bits for any number of threads and any instruction set with fused multiply-add.
/// Callable from any thread. Source: aclnnSmoothL1Loss page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnSmoothL1LossGetWorkspaceSize(const aclTensor* self, const aclTensor* target,
                                                        int64_t reduction, float beta, aclTensor* result,
                                                        uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSmoothL1Loss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H_
