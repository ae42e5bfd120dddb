// SPDX-License-Identifier: Apache-2.0
// aclnnAvgPool2d. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_AVGPOOL2D_H_
#define ACLNNOP_ACLNN_AVGPOOL2D_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnAvgPool2d: out = the mean of self in each window over the last two axes. Sums are divided by
/// divisorOverride, or where it is 0 by the number of elements in the window: with countIncludePad those of the
/// padding, too. With ceilMode a last window may begin in the image and reach beyond its padding, where nothing counts.
/// strides without numbers are those of kernelSize. cubeMathType has no effect.
///
/// self             in   rank 3..4, any strides; format NCHW or NCL. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and
///                       Ascend310P.
/// kernelSize       in   int64 values.
/// strides          in   int64 values.
/// paddings         in   int64 values.
/// ceilMode         in   true or false.
/// countIncludePad  in   true or false.
/// divisorOverride  in   any int64.
/// cubeMathType     in   any int8.
/// out              out  dtype of self; rank 3..4; any strides; format of self; may be self, or overlap it.
/// workspaceSize    out  bytes phase 2 needs; always 0.
/// executor         out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, kernelSize, strides, paddings or out is null, tested in this
/// order); 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes
/// that differ, a format that is not NCHW or NCL, or another than that of self, a rank not listed, a negative
/// dimension, stride or offset, a breach of "kernelSize, strides, paddings: one number or two, positive; paddings at
/// most half of kernelSize", a breach of "out: shape of self with a place of the window for height and width"). When
/// out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-16 of the quotient of the
/// magnitudes. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of
/// threads. Callable from any thread. Source: aclnnAvgPool2d page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnAvgPool2dGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelSize,
                                                     const aclIntArray* strides, const aclIntArray* paddings,
                                                     bool ceilMode, bool countIncludePad, int64_t divisorOverride,
                                                     int8_t cubeMathType, aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnAvgPool2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_AVGPOOL2D_H_
