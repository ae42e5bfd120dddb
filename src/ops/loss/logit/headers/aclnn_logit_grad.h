// SPDX-License-Identifier: Apache-2.0
// aclnnLogitGrad. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_LOGIT_GRAD_H_
#define ACLNNOP_ACLNN_LOGIT_GRAD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnLogitGrad: out = dy / (x * (1 - x)); outside [eps, 1 - eps] 0, for eps < 0 outside [0, 1] NaN. With
/// v = x_i, g = dy_i and e = (float)eps:
///
///   e < 0         out_i = g / (v * (1 - v)) for 0 <= v <= 1, NaN elsewhere
///   0 <= e < 1    out_i = g / (v * (1 - v)) for e <= v <= 1 - e, 0 elsewhere (whatever g is)
///   e = 1         out_i = g * inf
///   1 < e < inf   out_i = NaN
///   e = inf       out_i = 0
///   e is NaN      out_i = NaN
///
/// 1 - e is rounded to float; an eps of -1 stands for no limits. At v = 0 (also -0) and v = 1 the quotient is g * inf:
/// an infinity with the sign of g, NaN for g = 0. A NaN in x gives NaN for every eps. Results below the smallest normal
/// number of their dtype are subnormals. Mind the order: x first, then dy. Where the operator's page contradicts itself
/// the more specific sentence counts (eps > 1, eps = 1, eps = inf), then the formula.
///
/// x              in   rank 0..8, any strides. FLOAT, FLOAT16, BFLOAT16.
/// dy             in   dtype and shape of x; any strides.
/// eps            in   any double.
/// out            out  dtype and shape of x; any strides; may overlap x and dy; written although it is const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (x, dy, out, executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC names a
/// product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not listed,
/// dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, another shape of
/// dy, another shape of out). When x has no elements nothing is written. On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 2 ULP (3 without fused multiply-add), FLOAT16 and BFLOAT16 1 ULP. FLOAT16 and BFLOAT16 are the
/// nearest value for 99.97 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnLogitGrad page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnLogitGradGetWorkspaceSize(const aclTensor* x, const aclTensor* dy, double eps,
                                                     const aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnLogitGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LOGIT_GRAD_H_
