// SPDX-License-Identifier: Apache-2.0
// aclnnIm2col. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_IM2COL_H_
#define ACLNNOP_ACLNN_IM2COL_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnIm2col: out = column l of out has the elements of self under the window at place l, by channel and
/// place in the window. Elements beyond the image are 0.
///
/// self           in   rank 2..4, any strides. FLOAT, FLOAT16, BFLOAT16.
/// kernelSize     in   int64 values.
/// dilation       in   int64 values.
/// padding        in   int64 values.
/// stride         in   int64 values.
/// out            out  dtype of self; rank 2..8; any strides; may be self, or overlap it; written although it is const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, kernelSize, dilation, padding, stride or out is null, tested in
/// this order); 561003 (PORTACL_SOC names a product without the operator: it exists on Ascend910B, Ascend910_93 and
/// Ascend950); 161002 (a dtype not listed, dtypes that differ, a private format, a rank not listed, a negative
/// dimension, stride or offset, a breach of "kernelSize, dilation, padding, stride: two numbers each, of windows that
/// fit", a breach of "out: [N, C * kernel, places], without N for an image"). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnIm2col page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnIm2colGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelSize,
                                                  const aclIntArray* dilation, const aclIntArray* padding,
                                                  const aclIntArray* stride, const aclTensor* out,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnIm2col(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_IM2COL_H_
