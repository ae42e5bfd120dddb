// SPDX-License-Identifier: Apache-2.0
// aclnnNormalFloatFloat. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_NORMAL_OUT_H_
#define ACLNNOP_ACLNN_NORMAL_OUT_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnNormalFloatFloat: out = mean + std * z for normal z of two u each: sqrt(-2 ln(1 - u1)) times cos(2
/// pi u2) at even places, times sin(2 pi u2) at odd ones. u follows from seed, offset and the place of the element in
/// row-major order alone: Philox4x32-10 with seed as its key counts from offset on, four words of 32 bits at a time.
/// FLOAT, FLOAT16, BFLOAT16 and types of up to 16 bits take the first 24 bits of a word each, others 53 bits of two.
/// The numbers are not those of an NPU.
///
/// mean           in   any float.
/// std            in   at least 0.
/// seed           in   any int64.
/// offset         in   any int64.
/// out            out  rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16, DOUBLE.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not listed, a
/// private format, a rank not listed, a negative dimension, stride or offset, std not at least 0). When out has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT, FLOAT16 and BFLOAT16 0.51 ULP of the larger of the result and 2^-16 of mean and of std * sqrt(-2
/// ln(1 - u1)), DOUBLE 8 ULP of the larger of the result and mean and std * sqrt(-2 ln(1 - u1)). FLOAT16 and BFLOAT16
/// are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread.
/// Source: aclnnNormalFloatFloat page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnNormalFloatFloatGetWorkspaceSize(float mean, float std, int64_t seed, int64_t offset,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnNormalFloatFloat(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NORMAL_OUT_H_
