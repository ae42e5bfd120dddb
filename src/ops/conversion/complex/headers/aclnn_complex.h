// SPDX-License-Identifier: Apache-2.0
// aclnnComplex. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_COMPLEX_H_
#define ACLNNOP_ACLNN_COMPLEX_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnComplex: out = real + imag * sqrt(-1). The bits of both parts are those of the operands, of a NaN,
/// too; subnormals stay what they are.
///
/// real           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE.
/// imag           in   dtype of real; a shape that broadcasts with that of real; any strides.
/// out            out  shape: the broadcast of real and imag; any strides; may overlap real and imag. COMPLEX64,
///                     COMPLEX128, COMPLEX32.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, real, imag or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 0 (no elements in real or imag); 161002 (a dtype not listed,
/// dtypes that differ, a breach of "out: COMPLEX64 for FLOAT, COMPLEX128 for DOUBLE, COMPLEX32 for FLOAT16", a private
/// format, a rank not listed, a negative dimension, stride or offset, another shape of out). When real or imag has no
/// elements the call ends with 0 there, and nothing is written. On failure nothing is written; aclGetRecentErrMsg()
/// says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnComplex page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnComplexGetWorkspaceSize(const aclTensor* real, const aclTensor* imag, aclTensor* out,
                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnComplex(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_COMPLEX_H_
