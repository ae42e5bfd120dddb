// SPDX-License-Identifier: Apache-2.0
// aclnnLogit. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LOGIT_H_
#define ACLNNOP_ACLNN_LOGIT_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLogit: out = ln(z / (1 - z)) for z = input; for eps >= 0 z is limited to [eps, 1 - eps]. With v =
/// input_i, e = (float)eps, lo = e and hi = 1 - e, rounded to float:
///
///   e >= 0          z = lo for v < lo; else hi for v > hi; else v
///   e < 0 or NaN    z = v
///
/// An eps of -1 stands for no limits. z = 0 (also -0) gives -inf, z = 1 inf; below 0 and above 1 the result is NaN, and
/// so it is for a NaN in input. From this follows that e = 1 gives inf for v < 1 and -inf for the others, and that e >
/// 1 gives NaN. No result but 0 lies below the smallest normal number of its dtype. The list of constraints on the
/// operator's page (an input outside of [0, 1] gives NaN, 0 and 1 infinities, an eps of 1 infinities) describes inputs
/// that are not limited; for e >= 0 its formula counts.
///
/// input          in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16.
/// eps            in   any double.
/// out            out  dtype and shape of input; any strides; may be input, or overlap it; written although it is
///                     const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (input, out, executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, another shape of
/// out). When input has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what
/// and why.
///
/// Accuracy: FLOAT 1.9 ULP, FLOAT16 and BFLOAT16 1 ULP. FLOAT16 and BFLOAT16 are the nearest value for 99.97 % of
/// random inputs. Same bits for any number of threads. Callable from any thread. Source: aclnnLogit page of the CANN
/// operator documentation.
ACLNN_API aclnnStatus aclnnLogitGetWorkspaceSize(const aclTensor* input, double eps, const aclTensor* out,
                                                 uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLogit(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LOGIT_H_
