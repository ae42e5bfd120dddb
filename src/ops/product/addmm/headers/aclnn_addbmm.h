// SPDX-License-Identifier: Apache-2.0
// aclnnAddbmm. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ADDBMM_H_
#define ACLNNOP_ACLNN_ADDBMM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnAddbmm: out = beta * self + alpha * the sum of the matrix products of batch1 and batch2; self
/// broadcasts to it. Where beta is 0, self is not read. A sum of nothing is 0. Products with infinities, NaN and zeros
/// are those of IEEE 754. cubeMathType has no effect.
///
/// self           in   shape: one that broadcasts to that of out; any strides. FLOAT, FLOAT16; BFLOAT16 not on
///                     Ascend910 and Ascend310P.
/// batch1         in   rank 3, any strides. Dtypes as for self.
/// batch2         in   rank 3, any strides. Dtypes as for self.
/// beta           in   a number.
/// alpha          in   a number.
/// out            out  rank 2, any strides; may overlap self, batch1 and batch2. Dtypes as for self.
/// cubeMathType   in   0 or 1 or 2 or 3 or 4.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, batch1, batch2, beta, alpha or out is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a breach of
/// "beta: a real number", a breach of "alpha: a real number", a rank not listed, a negative dimension, stride or
/// offset, cubeMathType not 0 or 1 or 2 or 3 or 4, a breach of "the second factor: as many rows as the first has
/// columns", a breach of "the factors: batches of one size", a breach of "out: the shape of one product", another shape
/// of self, a private format). When out has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 36 epsilon of the larger of the result and the sum of the magnitudes of what is added, FLOAT16 0.51
/// ULP of the larger of the result and 2^-2 of the same, BFLOAT16 0.51 ULP of the larger of the result and 2^-5 of the
/// same. FLOAT16 and BFLOAT16 are the nearest value for 98 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnAddbmm page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnAddbmmGetWorkspaceSize(const aclTensor* self, const aclTensor* batch1,
                                                  const aclTensor* batch2, const aclScalar* beta,
                                                  const aclScalar* alpha, aclTensor* out, int8_t cubeMathType,
                                                  uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnAddbmm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADDBMM_H_
