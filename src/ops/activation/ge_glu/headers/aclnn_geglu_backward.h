// SPDX-License-Identifier: Apache-2.0
// aclnnGeGluBackward and aclnnGeGluV3Backward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_GEGLU_BACKWARD_H_
#define ACLNNOP_ACLNN_GEGLU_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnGeGluBackward: gradInput = for the halves A and B of self along dim, the first half of gradInput is
/// gradOutput * gelu, the second gradOutput * A * gelu'(B); gelu as for aclnnGeGlu.
///
/// gradOutput     in   shape of self with half the size along dim; any strides. FLOAT, FLOAT16; BFLOAT16 not on
///                     Ascend310P.
/// self           in   dtype of gradOutput; rank 1..8; any strides.
/// gelu           in   dtype of gradOutput; shape of self with half the size along dim; any strides.
/// dim            in   an axis of self, -rank..rank-1.
/// approximate    in   0 or 1.
/// gradInput      out  dtype of gradOutput; shape of self; any strides; may overlap gradOutput, self and gelu.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOutput, self, gelu or gradInput is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, dim out of range,
/// approximate not 0 or 1, a size of self along dim that is no multiple of 2, another shape of gradOutput, another
/// shape of gelu, another shape of gradInput). When self has no elements nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 5 ULP in the activated half of the larger of the result and |gradOutput * other|, and 2^-126 of
/// each, FLOAT 0.51 ULP in the other half, FLOAT16 and BFLOAT16 0.51 ULP in the activated half of the larger of the
/// result and |gradOutput * other|, and 2^-126 of each, FLOAT16 and BFLOAT16 0.51 ULP in the other half. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnGeGluBackward page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
                                                         const aclTensor* gelu, int64_t dim, int64_t approximate,
                                                         aclTensor* gradInput, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnGeGluBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                         aclrtStream stream);

/// Phase 1 of aclnnGeGluV3Backward: gradInput = as aclnnGeGluBackward; with activateLeft the first half of gradInput is
/// gradOutput * B * gelu'(A), the second gradOutput * gelu.
///
/// gradOutput     in   shape of self with half the size along dim; any strides. FLOAT, FLOAT16; BFLOAT16 not on
///                     Ascend310P.
/// self           in   dtype of gradOutput; rank 1..8; any strides.
/// gelu           in   dtype of gradOutput; shape of self with half the size along dim; any strides.
/// dim            in   an axis of self, -rank..rank-1.
/// approximate    in   0 or 1.
/// activateLeft   in   true or false.
/// gradInput      out  dtype of gradOutput; shape of self; any strides; may overlap gradOutput, self and gelu.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOutput, self, gelu or gradInput is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, dim out of range,
/// approximate not 0 or 1, a size of self along dim that is no multiple of 2, another shape of gradOutput, another
/// shape of gelu, another shape of gradInput). When self has no elements nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 5 ULP in the activated half of the larger of the result and |gradOutput * other|, and 2^-126 of
/// each, FLOAT 0.51 ULP in the other half, FLOAT16 and BFLOAT16 0.51 ULP in the activated half of the larger of the
/// result and |gradOutput * other|, and 2^-126 of each, FLOAT16 and BFLOAT16 0.51 ULP in the other half. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnGeGluBackward page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
                                                           const aclTensor* gelu, int64_t dim, int64_t approximate,
                                                           bool activateLeft, aclTensor* gradInput,
                                                           uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnGeGluBackward.
ACLNN_API aclnnStatus aclnnGeGluV3Backward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GEGLU_BACKWARD_H_
