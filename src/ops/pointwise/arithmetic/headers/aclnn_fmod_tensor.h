// SPDX-License-Identifier: Apache-2.0
// aclnnFmodTensor. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_FMOD_TENSOR_H_
#define ACLNNOP_ACLNN_FMOD_TENSOR_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnFmodTensor: out = what self / other, cut off, leaves of self. It has the sign of self. Of integers 0
/// where other is 0; of floating types NaN.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT32, INT64, UINT8; BFLOAT16 not on
///                     Ascend910 and Ascend310P.
/// other          in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// out            out  shape: the broadcast of self and other; any strides; may overlap self and other. Dtypes as for
///                     self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of out that cannot hold
/// results of self and other, a private format, a rank not listed, a negative dimension, stride or offset, another
/// shape of out). When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says
/// what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnFmodTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnFmodTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* other, aclTensor* out,
                                                      uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnFmodTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FMOD_TENSOR_H_
