// SPDX-License-Identifier: Apache-2.0
// aclnnLinspace. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LINSPACE_H_
#define ACLNNOP_ACLNN_LINSPACE_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLinspace: out = start + i * d in the first half, end - (steps - 1 - i) * d in the second, with d =
/// (end - start) / (steps - 1) in the dtype of out (FLOAT for narrower ones, DOUBLE for integers). One step gives
/// start. In integers start and end are truncated first, results, too.
///
/// start          in   a real number of any dtype.
/// end            in   a real number of any dtype.
/// steps          in   any int64.
/// out            out  rank 0..8, any strides. FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BFLOAT16 not
///                     on Ascend910 and Ascend310P.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, start, end or out is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend310B); 161002 (a dtype not listed, a private format, a rank not listed,
/// a negative dimension, stride or offset, a breach of "out: steps elements"). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.501 ULP, FLOAT16 and BFLOAT16 0.51 ULP, DOUBLE 0.501 ULP, integers 0.501 ULP of FLOAT. FLOAT16 and
/// BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any
/// thread. Source: aclnnLinspace page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnLinspaceGetWorkspaceSize(const aclScalar* start, const aclScalar* end, int64_t steps,
                                                    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLinspace(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LINSPACE_H_
