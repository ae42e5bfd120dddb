// SPDX-License-Identifier: Apache-2.0
// aclnnScaledMaskedSoftmaxBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H_
#define ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnScaledMaskedSoftmaxBackward: out = mask ? 0 : scale * (gradOutput * y - y * sum(gradOutput * y)),
/// sum over the last axis. With g = gradOutput and c = (float)scale, for each row of S2 elements
///
///   s     = sum_j g_j * y_j               over the whole row, masked elements included
///   out_j = 0                             where mask_j is true
///   out_j = (g_j * y_j - s * y_j) * c     elsewhere
///
/// y, the result of aclnnScaledMaskedSoftmax, is taken as it is. The mask selects: where it is true the result is +0,
/// whatever the operands are. NaN in g or y, or an infinity in g beside a 0 in y, makes every unmasked element of its
/// row NaN, also from below the mask. Results below the smallest normal number of their dtype are subnormals.
/// gradOutput is [B, N, S1, S2] with 0 <= S2 <= 4096, on Ascend950 8192, and mask [B or 1, N or 1, S1, S2]; a byte that
/// is not 0 is true, and masks. CANN's default of scale is 1. An epsilon is 2^-23. Bits are the same also where CANN is
/// not deterministic.
///
/// gradOutput     in   rank 4, any strides. FLOAT, FLOAT16, BFLOAT16.
/// y              in   dtype and shape of gradOutput; any strides.
/// mask           in   rank 4, any strides. BOOL.
/// scale          in   any double.
/// fixTriuMask    in   0.
/// out            out  dtype and shape of gradOutput; any strides; may overlap gradOutput, y and mask.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (gradOutput, y, mask or out is null, tested in this order); 161002 (a dtype not listed, a private
/// format, a rank not listed, a negative dimension, stride or offset, size of gradOutput along axis 3 not from 0 to
/// 4096, another shape of y, another shape of out, size of gradOutput along axis 2 and size of mask along axis 2 that
/// differ, size of gradOutput along axis 3 and size of mask along axis 3 that differ, size of gradOutput along axis 0
/// and size of mask along axis 0 that differ and are not 1, size of gradOutput along axis 1 and size of mask along axis
/// 1 that differ and are not 1, fixTriuMask not 0); 161001 (executor or workspaceSize is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950);
/// 161002 (dtypes that differ). When gradOutput has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 3 epsilon, FLOAT16 and BFLOAT16 1 ULP, each of the larger of the result and |scale * y| *
/// (|gradOutput| + sum |gradOutput * y|). FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same
/// bits for any number of threads. Callable from any thread. Source: aclnnScaledMaskedSoftmaxBackward page of the CANN
/// operator documentation.
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* y,
                                                                       const aclTensor* mask, double scale,
                                                                       bool fixTriuMask, aclTensor* out,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmaxBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H_
