// SPDX-License-Identifier: Apache-2.0
// aclnnMatmul. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_MATMUL_H_
#define ACLNNOP_ACLNN_MATMUL_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnMatmul: out = the product of self and mat2: of matrices along the last two axes, whose batches are
/// broadcast; self of rank 1 is a row, mat2 of rank 1 a column, and the product lacks that axis. A sum of nothing is 0.
/// Products with infinities, NaN and zeros are those of IEEE 754. cubeMathType has no effect: numbers are never
/// shortened before they are multiplied.
///
/// self           in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// mat2           in   rank 1..8, any strides. Dtypes as for self.
/// out            out  rank 0..8, any strides; may overlap self and mat2. Dtypes as for self.
/// cubeMathType   in   0 or 1 or 2 or 3 or 4.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, mat2 or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, a rank not listed, a negative
/// dimension, stride or offset, cubeMathType not 0 or 1 or 2 or 3 or 4, a breach of "mat2: as many rows as self has
/// columns", a breach of "out: the shape of the product", a private format, a breach of "the weight: no private format
/// but FRACTAL_NZ, without blocks of storage"). When out has no elements nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 36 epsilon of the larger of the result and the sum of the magnitudes of what is added, FLOAT16 0.51
/// ULP of the larger of the result and 2^-2 of the same, BFLOAT16 0.51 ULP of the larger of the result and 2^-5 of the
/// same. FLOAT16 and BFLOAT16 are the nearest value for 98 % of random inputs. Same bits for any number of threads.
/// Callable from any thread. Source: aclnnMatmul page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor* self, const aclTensor* mat2, aclTensor* out,
                                                  int8_t cubeMathType, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnMatmul(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MATMUL_H_
