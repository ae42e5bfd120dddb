// SPDX-License-Identifier: Apache-2.0
// aclnnRepeatInterleaveIntWithDim, aclnnRepeatInterleaveInt, aclnnRepeatInterleaveWithDim and aclnnRepeatInterleave.
// Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H_
#define ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRepeatInterleaveIntWithDim: out = each element of self along dim repeats times.
///
/// self           in   rank 1..8, any strides. FLOAT, FLOAT16, BFLOAT16, INT8, INT16, INT32, INT64, UINT8, BOOL.
/// repeats        in   at least 0.
/// dim            in   an axis of self, -rank..rank-1.
/// outputSize     in   any int64.
/// out            out  dtype of self; rank 1..8; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, repeats not at
/// least 0, dim out of range, a breach of "outputSize: repeats times the size along dim", a breach of "out: shape of
/// self with outputSize along dim"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnRepeatInterleave page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(const aclTensor* self, int64_t repeats,
                                                                      int64_t dim, int64_t outputSize, aclTensor* out,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntWithDim(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                      aclrtStream stream);

/// Phase 1 of aclnnRepeatInterleaveInt: out = each element of self repeats times, in one axis.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16, INT8, INT16, INT32, INT64, UINT8, BOOL.
/// repeats        in   at least 0.
/// outputSize     in   any int64.
/// out            out  dtype of self; rank 0..8; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, repeats not at
/// least 0, a breach of "outputSize: repeats times the elements of self", a breach of "out: outputSize elements in one
/// axis"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnRepeatInterleave page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntGetWorkspaceSize(const aclTensor* self, int64_t repeats,
                                                               int64_t outputSize, aclTensor* out,
                                                               uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnRepeatInterleaveIntWithDim.
ACLNN_API aclnnStatus aclnnRepeatInterleaveInt(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                               aclrtStream stream);

/// Phase 1 of aclnnRepeatInterleaveWithDim: out = element i of self along dim repeats[i] times, or each as often as the
/// one element of repeats says. repeats are tested when the call runs: where one is negative, or their sum is not
/// outputSize, nothing is written and the stream reports 507015.
///
/// self           in   rank 1..8, any strides. FLOAT, FLOAT16, BFLOAT16, INT8, INT16, INT32, INT64, UINT8, BOOL.
/// repeats        in   rank 0..1, any strides. INT32, INT64.
/// dim            in   an axis of self, -rank..rank-1.
/// outputSize     in   any int64.
/// out            out  dtype of self; rank 1..8; any strides; may overlap self and repeats.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, repeats or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not
/// listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, dim out of
/// range, a breach of "repeats: one element, or one for each of self along dim", a breach of "out: shape of self with
/// outputSize along dim"). On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnRepeatInterleave page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRepeatInterleaveWithDimGetWorkspaceSize(const aclTensor* self, const aclTensor* repeats,
                                                                   int64_t dim, int64_t outputSize, aclTensor* out,
                                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnRepeatInterleaveIntWithDim.
ACLNN_API aclnnStatus aclnnRepeatInterleaveWithDim(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                   aclrtStream stream);

/// Phase 1 of aclnnRepeatInterleave: out = element i of self repeats[i] times, or each as often as the one element of
/// repeats says, in one axis. repeats are tested when the call runs: where one is negative, or their sum is not
/// outputSize, nothing is written and the stream reports 507015.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16, INT8, INT16, INT32, INT64, UINT8, BOOL.
/// repeats        in   rank 0..1, any strides. INT32, INT64.
/// outputSize     in   any int64.
/// out            out  dtype of self; rank 0..8; any strides; may overlap self and repeats.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, repeats or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not
/// listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, a breach of
/// "repeats: one element, or one for each of self", a breach of "out: outputSize elements in one axis"). On failure
/// nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnRepeatInterleave page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRepeatInterleaveGetWorkspaceSize(const aclTensor* self, const aclTensor* repeats,
                                                            int64_t outputSize, aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);

/// Phase 2, as that of aclnnRepeatInterleaveIntWithDim.
ACLNN_API aclnnStatus aclnnRepeatInterleave(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_REPEAT_INTERLEAVE_H_
