// SPDX-License-Identifier: Apache-2.0
// aclnnAdd, aclnnInplaceAdd, aclnnAdds and aclnnInplaceAdds. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ADD_H_
#define ACLNNOP_ACLNN_ADD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnAdd: out = self + alpha * other. Integers count modulo 2^n; of BOOL + is or, * is and. A real alpha
/// multiplies both parts of complex numbers.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910.
/// other          in   a shape that broadcasts with that of self; any strides. Dtypes as for self.
/// alpha          in   a number of any dtype.
/// out            out  shape: the broadcast of self and other; any strides; may overlap self and other. Dtypes as for
///                     self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, other, alpha or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310P or Ascend310B); 161002 (a dtype not listed, a dtype of
/// alpha that cannot be cast to the common one of self and other, a dtype of out that cannot hold results of self and
/// other, a private format, a rank not listed, a negative dimension, stride or offset, another shape of out). When out
/// has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 1 ULP (1.5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of
/// real operands, DOUBLE 3 ULP in real parts of complex results, COMPLEX64 1 ULP (1.5 without fused multiply-add) in
/// each part, COMPLEX128 3 ULP in each part, BOOL and integers 1 ULP of FLOAT (1.5 without fused multiply-add), each of
/// the larger of the result and the larger of both terms. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of
/// random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnAdd page of the CANN
/// operator documentation.
ACLNN_API aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
                                               aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnAdd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceAdd: aclnnAdd with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap other; written although it is const. FLOAT, FLOAT16,
///                         DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 not on
///                         Ascend910.
/// other          in       shape: one that broadcasts to that of selfRef; any strides. Dtypes as for selfRef.
/// alpha          in       a number of any dtype.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or other is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310P or Ascend310B); 161002 (a rank not listed, a negative dimension,
/// stride or offset, another shape of other); 161001 (alpha is null); 161002 (a dtype not listed, a dtype of alpha that
/// cannot be cast to the common one of selfRef and other, a dtype of selfRef that cannot hold results of selfRef and
/// other, a private format). When selfRef has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnAdd.
ACLNN_API aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor* selfRef, const aclTensor* other,
                                                      const aclScalar* alpha, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor);

/// Phase 2, as that of aclnnAdd.
ACLNN_API aclnnStatus aclnnInplaceAdd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream);

/// Phase 1 of aclnnAdds: out = self + alpha * other. alpha * other is rounded once; integers count modulo 2^n.
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
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of alpha that
/// cannot be cast to the common one of self and other, a dtype of out that cannot hold results of self and other, a
/// private format, a rank not listed, a negative dimension, stride or offset, another shape of out). When self has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 1 ULP (1.5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 1 ULP in results of
/// real operands, DOUBLE 3 ULP in real parts of complex results, COMPLEX64 1 ULP (1.5 without fused multiply-add) in
/// each part, COMPLEX128 3 ULP in each part, BOOL and integers 1 ULP of FLOAT (1.5 without fused multiply-add), each of
/// the larger of the result and the larger of both terms. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of
/// random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnAdds page of the CANN
/// operator documentation.
ACLNN_API aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor* self, const aclScalar* other, const aclScalar* alpha,
                                                aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnAdd.
ACLNN_API aclnnStatus aclnnAdds(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnInplaceAdds: aclnnAdds with selfRef as self and as out.
///
/// selfRef        in, out  rank 0..8, any strides; written although it is const. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                         INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// other          in       a number of any dtype.
/// alpha          in       a number of any dtype.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef, other or alpha is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a dtype of alpha that
/// cannot be cast to the common one of selfRef and other, a dtype of selfRef that cannot hold results of selfRef and
/// other, a private format, a rank not listed, a negative dimension, stride or offset). When selfRef has no elements
/// nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy, threads and source: those of aclnnAdds.
ACLNN_API aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor* selfRef, const aclScalar* other,
                                                       const aclScalar* alpha, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);

/// Phase 2, as that of aclnnAdd.
ACLNN_API aclnnStatus aclnnInplaceAdds(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_H_
