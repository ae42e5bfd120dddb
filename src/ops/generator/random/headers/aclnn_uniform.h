// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceUniform. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_UNIFORM_H_
#define ACLNNOP_ACLNN_UNIFORM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnInplaceUniform: selfRef = from + u * (to - from) for uniform u in [0, 1), in float64; the largest
/// number below to where that is rounded to it; rounded down in integers. u follows from seed, offset and the place of
/// the element in row-major order alone: Philox4x32-10 with seed as its key counts from offset on, four words of 32
/// bits at a time. FLOAT, FLOAT16, BFLOAT16 and types of up to 16 bits take the first 24 bits of a word each, others 53
/// bits of two. The numbers are not those of an NPU.
///
/// selfRef        in, out  rank 0..8, any strides; written although it is const. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                         INT32, INT64, UINT8; BFLOAT16 not on Ascend910 and Ascend310P.
/// from           in       any double.
/// to             in       any double.
/// seed           in       any uint64.
/// offset         in       any uint64.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor or selfRef is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank not listed, a
/// negative dimension, stride or offset, a breach of "from: at most to, and both and to - from numbers of the dtype").
/// When selfRef has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and
/// why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnInplaceUniform page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor* selfRef, double from, double to,
                                                          uint64_t seed, uint64_t offset, uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnInplaceUniform(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UNIFORM_H_
