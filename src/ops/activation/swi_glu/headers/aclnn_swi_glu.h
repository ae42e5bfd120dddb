// SPDX-License-Identifier: Apache-2.0
// aclnnSwiGlu. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SWI_GLU_H_
#define ACLNNOP_ACLNN_SWI_GLU_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSwiGlu: out = A * sigmoid(A) * B, where A and B are the halves of x along dim. sigmoid(a) = 1 / (1 +
/// exp(-a)); A is the first half. A = inf gives inf * B, A = -inf and NaN give NaN. As in float64, sigmoid(a) is 0
/// below a = -709.78. Results below the smallest normal number of their dtype are subnormals, or 0 with their sign
/// where sigmoid(A) is below 2^-126. CANN's default of dim is -1. On Ascend310P x has elements, and the bytes of one
/// half, counted from axis dim on, are a multiple of 64.
///
/// x              in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P.
/// dim            in   an axis of x, -rank..rank-1.
/// out            out  dtype of x; shape of x with half the size along dim; any strides; may be x, or overlap it;
///                     written although it is const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (x, out, executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private
/// format, a rank not listed, a negative dimension, stride or offset, dim out of range, a size of x along dim that is
/// no multiple of 2, another shape of out, a breach of "not empty on Ascend310P"); 0 (no elements in x); 561002 (a
/// breach of "halves aligned on Ascend310P"). When x has no elements the call ends with 0 there, and nothing is
/// written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 4 ULP, FLOAT16 and BFLOAT16 1 ULP; 0 may stand for FLOAT and BFLOAT16 subnormals. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnSwiGlu page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor* x, int64_t dim, const aclTensor* out,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSwiGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SWI_GLU_H_
