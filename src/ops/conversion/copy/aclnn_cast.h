// SPDX-License-Identifier: Apache-2.0
// Conversion to another dtype.
#ifndef ACLNNOP_ACLNN_CAST_H_
#define ACLNNOP_ACLNN_CAST_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of out = self as `dtype`. Elements become what they become by aclnnInplaceCopy (aclnnop/aclnn_copy.h):
/// floats are rounded once, to nearest even; become integers by truncation, limited to their range, NaN to 0; INT8,
/// UINT8 and INT16 keep the low bits of what INT32 would be (300 is 44 in UINT8); integers become narrower ones modulo
/// 2^n; BOOL is 1 for what is not zero; of complex numbers reals take the real part. Results below the smallest normal
/// number of their dtype are subnormals.
///
/// self           in   rank 0..8, any strides. INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT16,
///                     FLOAT, DOUBLE, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 but on Ascend910 and 310P.
/// dtype          in   one of these.
/// out            out  shape of self, dtype `dtype`; any strides; may overlap self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self or out is null, tested in this order); 561003 (PORTACL_SOC names
/// Ascend310B, which lacks the operator); 161002 (a dtype not listed, out is not of `dtype`, a private format, rank
/// above 8, a negative dimension, stride or offset, shapes differ). On failure nothing is written; aclGetRecentErrMsg()
/// says what and why.
///
/// Accuracy: exact, or rounded once. Same bits for any number of threads and on every instruction set. Callable from
/// any thread. Source: aclnnCast page of the CANN operator documentation; what it leaves open - values out of the range
/// of INT32 and of wider or unsigned integers - is decided here.
ACLNN_API aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor* self, const aclDataType dtype, aclTensor* out,
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
