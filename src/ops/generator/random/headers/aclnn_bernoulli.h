// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceBernoulli and aclnnBernoulliTensor. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_BERNOULLI_H_
#define ACLNNOP_ACLNN_BERNOULLI_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnInplaceBernoulli: selfRef = 1 where u < prob for uniform u in [0, 1), 0 elsewhere. u follows from
/// seed, offset and the place of the element in row-major order alone: Philox4x32-10 with seed as its key counts from
/// offset on, four words of 32 bits at a time. FLOAT, FLOAT16, BFLOAT16 and types of up to 16 bits take the first 24
/// bits of a word each, others 53 bits of two. The numbers are not those of an NPU.
///
/// selfRef        in, out  rank 0..8, any strides; written although it is const. FLOAT, FLOAT16, DOUBLE, INT8, INT16,
///                         INT32, INT64, UINT8, BOOL; BFLOAT16 not on Ascend910 and Ascend310P.
/// prob           in       a real number of any dtype.
/// seed           in       any int64.
/// offset         in       any int64.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or prob is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank not listed,
/// a negative dimension, stride or offset, a breach of "prob: from 0 to 1"). When selfRef has no elements nothing is
/// written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnInplaceBernoulli page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnInplaceBernoulliGetWorkspaceSize(const aclTensor* selfRef, const aclScalar* prob,
                                                            int64_t seed, int64_t offset, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnInplaceBernoulli(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                            aclrtStream stream);

/// Phase 1 of aclnnBernoulliTensor: out = 1 where u < prob for uniform u in [0, 1), 0 elsewhere. Of self the shape
/// counts. prob is data: nothing is refused for it, where it is NaN the result is 0. u is that of aclnnInplaceBernoulli
/// with the dtype of out.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BFLOAT16
///                     not on Ascend910 and Ascend310P.
/// prob           in   shape: one that broadcasts to that of self; any strides. Dtypes as for self.
/// seed           in   any int64.
/// offset         in   any int64.
/// out            out  shape of self; any strides; may overlap self and prob. Dtypes as for self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, prob or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank not listed,
/// a negative dimension, stride or offset, another shape of prob, another shape of out). When out has no elements
/// nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnBernoulliTensor page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnBernoulliTensorGetWorkspaceSize(const aclTensor* self, const aclTensor* prob, int64_t seed,
                                                           int64_t offset, aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);

/// Phase 2, as that of aclnnInplaceBernoulli.
ACLNN_API aclnnStatus aclnnBernoulliTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BERNOULLI_H_
