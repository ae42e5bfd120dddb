// SPDX-License-Identifier: Apache-2.0
// aclnnSmoothL1LossBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_SMOOTH_L1_LOSS_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSmoothL1LossBackward: gradInput = u * gradOut, for mean also / N: u = d / beta for |d| < beta, else
/// sign(d), where d = self - target. With d rounded to float and g = gradOut_i:
///
///   |d| < beta                     u = d / beta
///   otherwise                      u = sign(d), which is 0 for d = 0, and NaN for a NaN
///   reduction 0 (none), 2 (sum)    gradInput_i = u * g
///   reduction 1 (mean)             gradInput_i = u * g / N, N being the number of elements of gradInput
///
/// So beta = 0 gives sign(d) * g, and beta = inf gives 0 for finite d and sign(d) * g for infinite d. inf - inf is NaN,
/// and so is 0 * inf, where u is 0 and g infinite. Results below the smallest normal number of their dtype are
/// subnormals. Each element of gradOut counts wherever it is broadcast to, for every reduction, and gradInput is not
/// summed to the shape of self. The dtypes are independent: everything is computed in float32 and rounded once.
/// Instruction sets with fused multiply-add give the same bits. sign(0) = 0 on the operator's page decides for beta =
/// 0, and its "number of elements in the output" is N.
///
/// gradOut        in   rank 0..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// self           in   a shape that broadcasts with that of gradOut; any strides. Dtypes as for gradOut.
/// target         in   a shape that broadcasts with that of gradOut; any strides. Dtypes as for gradOut.
/// reduction      in   0 or 1 or 2.
/// beta           in   at least 0.
/// gradInput      out  shape: the broadcast of gradOut, self and target; any strides; may overlap gradOut, self and
///                     target. Dtypes as for gradOut.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOut, self, target or gradInput is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a rank not
/// listed, a negative dimension, stride or offset, reduction not 0 or 1 or 2, beta not at least 0, a dtype of gradInput
/// that cannot hold results of gradOut, self and target, another shape of gradInput, a private format). When gradOut,
/// self or target has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and
/// why.
///
/// Accuracy: FLOAT 2.5 ULP where reduction is 0 or 2, FLOAT 3.5 ULP where reduction is 1, FLOAT16 and BFLOAT16 1 ULP.
/// FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnSmoothL1LossBackward page of the CANN operator documentation.
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
