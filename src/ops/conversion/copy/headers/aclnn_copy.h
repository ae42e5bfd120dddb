// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceCopy. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_COPY_H_
#define ACLNNOP_ACLNN_COPY_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnInplaceCopy: selfRef = src, broadcast and converted. What an element becomes:
///
///   same dtype            its bits, those of a NaN and bytes of BOOL other than 0 and 1 included
///   float to float        rounded once from src, to nearest even; overflow is +-inf, zero keeps its sign, NaN is NaN
///   float to integer      truncated; beyond the range the nearest limit; NaN is 0. INT8, UINT8 and INT16 are the low
///                         bits of what INT32 would be: 300 is 44 in UINT8, 200 is -56 in INT8
///   integer to integer    modulo 2^n
///   integer to float      rounded once, to nearest even
///   anything to BOOL      1 where it is not zero (NaN is not, -0 is; of a complex number either part), else 0
///   BOOL to anything      1 for any byte that is not 0, else 0
///   complex to others     the real part by the rules above; to complex each part
///   others to complex     the imaginary part is 0
///
/// Results below the smallest normal number of their dtype are subnormals. src may be selfRef, when nothing happens, or
/// overlap it: the result is that of separate memory. Values out of the range of INT32 and of wider or unsigned
/// integers are decided here, as the pages of aclnnInplaceCopy and aclnnCast leave them open.
///
/// selfRef        in, out  rank 0..8, any strides; may overlap src. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
///                         UINT8, UINT16, UINT32, UINT64, BOOL, COMPLEX64, COMPLEX128; BFLOAT16 not on Ascend910,
///                         Ascend310P and Ascend310B.
/// src            in       shape: one that broadcasts to that of selfRef; any strides. Dtypes as for selfRef.
/// workspaceSize  out      bytes phase 2 needs; always 0.
/// executor       out      plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, selfRef or src is null, tested in this order); 161002 (a dtype not
/// listed, a private format, a rank not listed, a negative dimension, stride or offset, another shape of src). When
/// selfRef has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: exact, or rounded once. Same bits for any number of threads and on every instruction set. Callable from
/// any thread. Source: aclnnInplaceCopy page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor* selfRef, const aclTensor* src,
                                                       uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnInplaceCopy(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_COPY_H_
