// SPDX-License-Identifier: Apache-2.0
// aclnnSlice. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SLICE_H_
#define ACLNNOP_ACLNN_SLICE_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSlice: out = self[start : end : step] along dim. start and end count from the end where they are
/// negative; beyond an end of the axis they are that end, but an end before the first element is start.
///
/// self           in   rank 1..8, any strides. FLOAT, FLOAT16, INT8, INT32, INT64, UINT8, BOOL; BFLOAT16 not on
///                     Ascend910.
/// dim            in   an axis of self, -rank..rank-1.
/// start          in   any int64.
/// end            in   any int64.
/// step           in   at least 1.
/// out            out  dtype of self; rank 1..8; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310P or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private
/// format, a rank not listed, a negative dimension, stride or offset, dim out of range, step not at least 1, a breach
/// of "out: shape of self with as many elements along dim as the slice has"). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnSlice page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnSliceGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t start, int64_t end,
                                                 int64_t step, aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSlice(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SLICE_H_
