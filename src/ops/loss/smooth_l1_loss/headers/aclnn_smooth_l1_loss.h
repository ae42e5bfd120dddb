// SPDX-License-Identifier: Apache-2.0
// aclnnSmoothL1Loss. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H_
#define ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSmoothL1Loss: result = 0.5 * d * d / beta for |d| < beta, else |d| - 0.5 * beta, where d = self -
/// target; its mean or sum. With d = self_i - target_i, rounded to float:
///
///   |d| < beta            l_i = 0.5 * d * (d / beta)
///   otherwise             l_i = |d| - 0.5 * beta; NaN for a NaN
///   reduction 0 (none)    result_i = l_i
///   reduction 1 (mean)    result = sum of all l_i, divided by their number
///   reduction 2 (sum)     result = sum of all l_i
///
/// So beta = 0 gives |d|, and beta = inf gives 0 for finite d and NaN for infinite d. Results below the smallest normal
/// number of their dtype are subnormals. The dtypes of self, target and result are independent: losses are float32
/// whatever they are, and a result is rounded once; a DOUBLE holds the float32 loss. A mean or a sum has one element,
/// of any rank up to 8. It is within 1 ULP of the exact one of the float32 losses. Without elements in self or target
/// the mean is NaN and the sum 0. An epsilon is 2^-23. Instruction sets with fused multiply-add give the same bits.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// target         in   rank 0..8, any strides. Dtypes as for self.
/// reduction      in   0 or 1 or 2.
/// beta           in   at least 0.
/// result         out  shape: the broadcast of self and target, one element unless reduction is 0; any strides; may
///                     overlap self and target. FLOAT, FLOAT16, DOUBLE; BFLOAT16 not on Ascend910 and Ascend310P.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, target or result is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of result that
/// cannot hold results of self and target, reduction not 0 or 1 or 2, a rank not listed, a negative dimension, stride
/// or offset, another shape of result, beta not at least 0, a private format). When result has no elements nothing is
/// written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3.5 ULP where reduction is 0, FLOAT 4 epsilon where reduction is 1 or 2, FLOAT16 and BFLOAT16 1 ULP,
/// DOUBLE 3.5 ULP of FLOAT where reduction is 0, DOUBLE 3.5 epsilon of FLOAT where reduction is 1 or 2. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnSmoothL1Loss page of the CANN operator documentation.
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
