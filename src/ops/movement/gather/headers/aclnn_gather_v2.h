// SPDX-License-Identifier: Apache-2.0
// aclnnGatherV2. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_GATHER_V2_H_
#define ACLNNOP_ACLNN_GATHER_V2_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnGatherV2: out = the rows of self along dim that index names, in place of that axis. An index that is
/// negative, or not less than the size of its axis, is found when the call runs: its row is 0, and the stream reports
/// 507015.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// dim            in   any int64.
/// index          in   rank 0..8, any strides. INT32, INT64.
/// out            out  dtype of self; rank 0..8; any strides; may overlap self and index.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, index or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format,
/// a rank not listed, a negative dimension, stride or offset, a breach of "dim: an axis, also where there is but one
/// element", a breach of "out: shape of self with that of index for dim"). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact. Same bits for any number of threads and on every instruction set. Callable from any thread. Source:
/// aclnnGatherV2 page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor* self, int64_t dim, const aclTensor* index,
                                                    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnGatherV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GATHER_V2_H_
