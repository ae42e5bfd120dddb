// SPDX-License-Identifier: Apache-2.0
// aclnnMaxPool. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_MAX_POOL_H_
#define ACLNNOP_ACLNN_MAX_POOL_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnMaxPool: out = the largest element of self in each window over the last two axes. A NaN is larger
/// than all numbers. A zero is +0. Padding counts as -inf, the lowest value of integers. pads: one number, those of
/// height and width, or those of top, left, bottom and right; without numbers 0. strides without numbers are 1.
///
/// self           in   rank 3..4, any strides. FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not on
///                     Ascend910.
/// kernelShape    in   int64 values.
/// strides        in   int64 values.
/// autoPad        in   0.
/// pads           in   int64 values.
/// dilations      in   int64 values.
/// ceilMode       in   0 or 1.
/// out            out  dtype of self; rank 3..4; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, kernelShape, strides, pads, dilations or out is null, tested in
/// this order); 561003 (PORTACL_SOC names a product without the operator: Ascend310P or Ascend310B); 161002 (a dtype
/// not listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, autoPad
/// not 0, ceilMode not 0 or 1, a breach of "kernelShape, strides, pads, dilations: as many numbers as they may have, in
/// range; dilations 1, pads of an axis at most kernelShape together", a breach of "out: shape of self with a place of
/// the window for height and width"). When out has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnMaxPool page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnMaxPoolGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelShape,
                                                   const aclIntArray* strides, int64_t autoPad, const aclIntArray* pads,
                                                   const aclIntArray* dilations, int64_t ceilMode, aclTensor* out,
                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnMaxPool(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_POOL_H_
