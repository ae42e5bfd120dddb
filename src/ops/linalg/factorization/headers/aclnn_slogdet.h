// SPDX-License-Identifier: Apache-2.0
// aclnnSlogdet. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SLOGDET_H_
#define ACLNNOP_ACLNN_SLOGDET_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSlogdet: signOut = the sign of the determinant of each matrix, which the last two axes of self are;
/// logOut = the logarithm of its modulus; the sign of a complex determinant is the determinant divided by its modulus.
/// Of a singular matrix, one with a pivot of 0, 0 and -inf; with a NaN, NaN. Without elements 1 and 0.
///
/// self           in   rank 2..8, any strides. FLOAT, DOUBLE, COMPLEX64, COMPLEX128.
/// signOut        out  dtype of self; rank 0..8; any strides; may be self, or overlap it.
/// logOut         out  rank 0..8, any strides; may be self, or overlap it. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, signOut or logOut is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a
/// breach of "logOut: the dtype of self, or of its parts", a private format, a rank not listed, a negative dimension,
/// stride or offset, a breach of "self: square matrices, its last two axes", a breach of "signOut: shape of self
/// without its last two axes", a breach of "logOut: shape of self without its last two axes"). When signOut has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: signOut: FLOAT and DOUBLE 0.5 ULP of the larger of the result and anything where the term of logOut in
/// DOUBLE is 2^45 or more, COMPLEX128 4 ULP in each part of the larger of the result and n^2 times the largest |self|
/// times the sum of |the inverse|, COMPLEX64 0.51 ULP in each part of the larger of the result and 2^-20 of the same;
/// logOut: DOUBLE 2 ULP, COMPLEX128 4 ULP in each part, each of the larger of the result and n^2 times the largest
/// |self| times the sum of |the inverse|, FLOAT and COMPLEX64 0.51 ULP in each part of the larger of the result and
/// 2^-20 of the same. Same bits for any number of threads. Callable from any thread. Source: aclnnSlogdet page of the
/// CANN operator documentation.
ACLNN_API aclnnStatus aclnnSlogdetGetWorkspaceSize(const aclTensor* self, aclTensor* signOut, aclTensor* logOut,
                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSlogdet(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SLOGDET_H_
