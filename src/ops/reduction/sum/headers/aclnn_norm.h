// SPDX-License-Identifier: Apache-2.0
// aclnnNorm. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_NORM_H_
#define ACLNNOP_ACLNN_NORM_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnNorm: out = the p-th root of the sum of |self|^p along dim; p = 0: elements that are not 0, NaN
/// included, p = inf or -inf: the largest or the smallest |self|. Over nothing the norm is 0, infinite for p = -inf.
///
/// self           in   rank 0..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910, Ascend310P and Ascend310B.
/// pScalar        in   a number.
/// dim            in   int64 values.
/// keepdim        in   true or false.
/// out            out  shape of self and keepdim along dim; any strides; may be self, or overlap it. Dtypes as for
///                     self.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, pScalar, dim or out is null, tested in this order); 561003
/// (PORTACL_SOC names a product without the operator: ); 161002 (a dtype not listed, a private format, a rank not
/// listed, a negative dimension, stride or offset, dim beyond the axes of self, or one twice, another shape of out).
/// When out has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 0.51 ULP, FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the result and any where a power
/// over- or underflows. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any
/// number of threads. Callable from any thread. Source: aclnnNorm page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnNormGetWorkspaceSize(const aclTensor* self, const aclScalar* pScalar, const aclIntArray* dim,
                                                bool keepdim, aclTensor* out, uint64_t* workspaceSize,
                                                aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NORM_H_
