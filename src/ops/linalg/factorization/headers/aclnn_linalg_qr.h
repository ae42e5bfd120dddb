// SPDX-License-Identifier: Apache-2.0
// aclnnLinalgQr. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LINALG_QR_H_
#define ACLNNOP_ACLNN_LINALG_QR_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLinalgQr: Q = Q and R with Q R = each matrix, m x n, which the last two axes of self are; Q has
/// orthonormal columns, R no elements below its diagonal. With k = min(m, n): mode 0, m x k and k x n; 1, m x m and m x
/// n; 2, only R, k x n. Signs are those of Householder's reflections in LAPACK: an element on the diagonal of R is
/// negative where the column that is left began with a number that is not, and something was below it; where all that
/// is left is rounding, so is its sign. With an element that is infinite or NaN all of Q and R is NaN.
///
/// self           in   rank 2..8, any strides. FLOAT, FLOAT16, DOUBLE.
/// mode           in   0 or 1 or 2.
/// Q              out  dtype of self; rank 0..8; any strides; may be self, or overlap it.
/// R              out  dtype of self; rank 0..8; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, Q or R is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend910); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, mode not 0 or 1 or
/// 2, a breach of "Q: m x k where mode is 0, m x m where it is 1, no elements where it is 2", a breach of "R: k x n, m
/// x n where mode is 1"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: Q: DOUBLE 1 ULP of the larger of the result and m n times the condition of the first k columns of self,
/// each divided by its norm, FLOAT and FLOAT16 0.51 ULP of the larger of the result and 2^-20 of the same; R: DOUBLE 1
/// ULP of the larger of the result and the same times the column's norm in self, FLOAT and FLOAT16 0.51 ULP of the
/// larger of the result and 2^-20 of that. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same
/// bits for any number of threads. Callable from any thread. Source: aclnnLinalgQr page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnLinalgQrGetWorkspaceSize(const aclTensor* self, int64_t mode, aclTensor* Q, aclTensor* R,
                                                    uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLinalgQr(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LINALG_QR_H_
