// SPDX-License-Identifier: Apache-2.0
// aclnnRange. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_RANGE_H_
#define ACLNNOP_ACLNN_RANGE_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRange: out = start + i * step, up to end and with it. Elements are counted in DOUBLE, or in FLOAT
/// where that gives another number. In integers start and step are truncated first.
///
/// start          in   a real number of any dtype.
/// end            in   a real number of any dtype.
/// step           in   a real number of any dtype.
/// out            out  rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT32, INT64; BFLOAT16 not on Ascend910 and
///                     Ascend310P.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, start, end, step or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a breach of "step: not
/// 0, and from start to end", a private format, a rank not listed, a negative dimension, stride or offset, no elements
/// in out, a breach of "out: (end - start) / step elements, rounded down, and one more"). On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 0.501 ULP, INT32 and INT64 exact. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnRange page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRangeGetWorkspaceSize(const aclScalar* start, const aclScalar* end, const aclScalar* step,
                                                 aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRange(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RANGE_H_
