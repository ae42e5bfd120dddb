// SPDX-License-Identifier: Apache-2.0
// aclnnTriangularSolve. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H_
#define ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnTriangularSolve: xOut = xOut with T xOut = self, for each matrix, which the last two axes are; T is
/// the triangle of A that upper names, the transpose of it where transpose is true, its diagonal 1 where unitriangular
/// is; mOut = that triangle of A with its own diagonal, and 0. Elements of A outside the triangle, and a diagonal taken
/// for 1, are not used for xOut. An element 0 on the diagonal gives infinities and NaN.
///
/// self           in   rank 2..8, any strides. FLOAT, DOUBLE; COMPLEX64 and COMPLEX128 not computed yet.
/// A              in   dtype of self; rank 2..8; any strides.
/// upper          in   true or false.
/// transpose      in   true or false.
/// unitriangular  in   true or false.
/// xOut           out  dtype of self; rank 2..8; any strides; may overlap self and A.
/// mOut           out  dtype of self; rank 2..8; any strides; may overlap self and A.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, A, xOut or mOut is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310P or Ascend310B); 161002 (a dtype not listed); 561003 (a
/// dtype that is not computed yet); 161002 (dtypes that differ, a private format, a rank not listed, a negative
/// dimension, stride or offset, a breach of "A: square matrices, with as many rows as those of self", a breach of
/// "xOut: the first axes of self and A, broadcast, and the last two of self", a breach of "mOut: the same axes, and the
/// last two of A"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: xOut: DOUBLE 1 ULP of the larger of the result and what errors of n 2^-53 in the sum of each row become by
/// substitution, times 2^53, FLOAT 0.51 ULP of the larger of the result and 2^-20 of the same; mOut: exact. Same bits
/// for any number of threads. Callable from any thread. Source: aclnnTriangularSolve page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnTriangularSolveGetWorkspaceSize(const aclTensor* self, const aclTensor* A, bool upper,
                                                           bool transpose, bool unitriangular, aclTensor* xOut,
                                                           aclTensor* mOut, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnTriangularSolve(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRIANGULAR_SOLVE_H_
