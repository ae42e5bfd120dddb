// SPDX-License-Identifier: Apache-2.0
// aclnnHeaviside. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_HEAVISIDE_H_
#define ACLNNOP_ACLNN_HEAVISIDE_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnHeaviside: out = 0 where input < 0, values where input is 0, else 1. NaN of input gives NaN.
///
/// input          in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16.
/// values         in   dtype of input; a shape that broadcasts with that of input; any strides.
/// out            out  dtype of input; shape: the broadcast of input and values; any strides; may overlap input and
///                     values.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, input, values or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: it exists on Ascend910B and Ascend910_93); 161002 (a dtype not listed, dtypes
/// that differ, a private format, a rank not listed, a negative dimension, stride or offset, another shape of out).
/// When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnHeaviside page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnHeavisideGetWorkspaceSize(const aclTensor* input, const aclTensor* values, aclTensor* out,
                                                     uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnHeaviside(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_HEAVISIDE_H_
