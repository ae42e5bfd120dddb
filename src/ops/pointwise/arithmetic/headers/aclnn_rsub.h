// SPDX-License-Identifier: Apache-2.0
// aclnnRsubs. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_RSUB_H_
#define ACLNNOP_ACLNN_RSUB_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRsubs: out = other - alpha * self. Integers count modulo 2^n.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// other          in   a number of any dtype.
/// alpha          in   a number of any dtype.
/// out            out  shape of self; any strides; may be self, or overlap it. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other, alpha or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, no common dtype of self
/// and other that is listed, a dtype of alpha that cannot be cast to the common one of self and other, a dtype of out
/// that cannot hold results of self and other, a private format, a rank not listed, a negative dimension, stride or
/// offset, another shape of out). When self has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 1 ULP (1.5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of
/// real operands, DOUBLE 3 ULP in real parts of complex results, COMPLEX64 1 ULP (1.5 without fused multiply-add) in
/// each part, COMPLEX128 3 ULP in each part, BOOL and integers 1 ULP of FLOAT (1.5 without fused multiply-add), each of
/// the larger of the result and the larger of both terms. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of
/// random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnRsubs page of the CANN
/// operator documentation.
ACLNN_API aclnnStatus aclnnRsubsGetWorkspaceSize(const aclTensor* self, const aclScalar* other, const aclScalar* alpha,
                                                 aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRsubs(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RSUB_H_
