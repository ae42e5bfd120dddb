// SPDX-License-Identifier: Apache-2.0
// aclnnLogSoftmax. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LOGSOFTMAX_H_
#define ACLNNOP_ACLNN_LOGSOFTMAX_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLogSoftmax: out = self - m - ln sum e^(self - m) along dim, m being the largest element. NaN or +Inf
/// gives NaN in all its row, and so does -Inf in all of it.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE; BFLOAT16 not on Ascend910 and Ascend310P.
/// dim            in   any int64.
/// out            out  shape of self; any strides; may be self, or overlap it. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                     INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P; COMPLEX64 and COMPLEX128 not
///                     computed yet.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a rank not listed, a negative dimension, stride or offset); 0 (no
/// elements in self); 161002 (a dtype not listed); 561003 (a dtype that is not computed yet); 161002 (a dtype of out
/// that cannot hold results of self, dim beyond the axes of self, or one twice, a private format, another shape of
/// out). When self has no elements the call ends with 0 there, and nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 5 ULP (6 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 8 ULP, integers 5 ULP of
/// FLOAT (6 without fused multiply-add), each of the larger of the result and 2^-104, of DOUBLE 2^-970, for each
/// element of the row. FLOAT16 and BFLOAT16 are the nearest value for 99.5 % of random inputs. Same bits for any number
/// of threads. Callable from any thread. Source: aclnnLogSoftmax page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim, aclTensor* out,
                                                      uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLogSoftmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LOGSOFTMAX_H_
