// SPDX-License-Identifier: Apache-2.0
// aclnnUpsampleNearest2d. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnUpsampleNearest2d: out = self with height and width of outputSize, each element that of its nearest
/// neighbour. Row i of n comes from row min(floor(i * (H / n)), H - 1) of the H rows of self, with H / n and the
/// product in float32; columns likewise.
///
/// self           in   rank 4, any strides; format NCHW or NHWC. FLOAT, FLOAT16, DOUBLE, UINT8; BFLOAT16 not on
///                     Ascend910 and Ascend310P.
/// outputSize     in   at least 1.
/// out            out  dtype of self; rank 4; any strides; format of self; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, outputSize or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a
/// rank not listed, a negative dimension, stride or offset, length of outputSize not 2, outputSize not at least 1, a
/// format that is not NCHW or NHWC, or another than that of self, size of self along axis 1, size of self along axis 2
/// and size of self along axis 3 not at least 1, a breach of "out: shape of self with outputSize as height and width").
/// On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnUpsampleNearest2d page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnUpsampleNearest2dGetWorkspaceSize(const aclTensor* self, const aclIntArray* outputSize,
                                                             aclTensor* out, uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnUpsampleNearest2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_H_
