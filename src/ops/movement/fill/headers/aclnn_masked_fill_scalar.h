// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceMaskedFillScalar. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_MASKED_FILL_SCALAR_H_
#define ACLNNOP_ACLNN_MASKED_FILL_SCALAR_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnInplaceMaskedFillScalar: selfRef = value where mask. The value is rounded once to floating types;
/// truncated, then modulo 2^n to integers, where infinities and NaN are 0.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap mask. FLOAT, FLOAT16, INT8, INT32, INT64, BOOL; BFLOAT16
///                         not on Ascend910 and Ascend310P.
/// mask           in       shape: one that broadcasts to that of selfRef; any strides. BOOL.
/// value          in       a number.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef, mask or value is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank
/// not listed, a negative dimension, stride or offset, a breach of "value: a number", another shape of mask). When
/// selfRef has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnInplaceMaskedFillScalar page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnInplaceMaskedFillScalarGetWorkspaceSize(aclTensor* selfRef, const aclTensor* mask,
                                                                   const aclScalar* value, uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnInplaceMaskedFillScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MASKED_FILL_SCALAR_H_
