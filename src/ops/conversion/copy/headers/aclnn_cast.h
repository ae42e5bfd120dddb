// SPDX-License-Identifier: Apache-2.0
// aclnnCast. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_CAST_H_
#define ACLNNOP_ACLNN_CAST_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnCast: out = self, converted to dtype. Elements become what they become by aclnnInplaceCopy
/// (aclnnop/aclnn_copy.h): floats are rounded once, to nearest even; become integers by truncation, limited to their
/// range, NaN to 0; INT8, UINT8 and INT16 keep the low bits of what INT32 would be (300 is 44 in UINT8); integers
/// become narrower ones modulo 2^n; BOOL is 1 for what is not zero; complex numbers become real by their real part.
/// Results below the smallest normal number of their dtype are subnormals. Values out of the range of INT32 and of
/// wider or unsigned integers are decided here, as the operator's page leaves them open.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16,
///                     UINT32, UINT64, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// dtype          in   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, BOOL,
///                     COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910 and Ascend310P.
/// out            out  dtype of dtype; shape of self; any strides; may be self, or overlap it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that differ, a private format, a rank
/// not listed, a negative dimension, stride or offset, another shape of out). When self has no elements nothing is
/// written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact, or rounded once. Same bits for any number of threads and on every instruction set. Callable from
/// any thread. Source: aclnnCast page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor* self, aclDataType dtype, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnCast(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CAST_H_
