// SPDX-License-Identifier: Apache-2.0
// aclnnGeGlu and aclnnGeGluV3. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_GEGLU_H_
#define ACLNNOP_ACLNN_GEGLU_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnGeGlu: out = A * gelu(B), outGelu = gelu(B) for the halves A and B of self along dim; gelu(x) = x
/// P(x) for the normal distribution P, with approximate 1 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2. gelu of
/// -inf is 0, of NaN NaN; out is computed from the float32 gelu.
///
/// self           in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P.
/// dim            in   an axis of self, -rank..rank-1.
/// approximate    in   0 or 1.
/// out            out  dtype of self; shape of self with half the size along dim; any strides; may be self, or overlap
///                     it.
/// outGelu        out  dtype of self; shape of self with half the size along dim; any strides; may be self, or overlap
///                     it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, out or outGelu is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a
/// private format, a rank not listed, a negative dimension, stride or offset, dim out of range, approximate not 0 or 1,
/// a size of self along dim that is no multiple of 2, another shape of out, another shape of outGelu). When self has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: out: FLOAT 3 ULP (3.5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of
/// the result and 2^-126 of the other half; outGelu: FLOAT 2 ULP (3 without fused multiply-add), FLOAT16 and BFLOAT16
/// 0.51 ULP. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of
/// threads. Callable from any thread. Source: aclnnGeGlu page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGeGluGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate,
                                                 aclTensor* out, aclTensor* outGelu, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnGeGlu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

/// Phase 1 of aclnnGeGluV3: out = gelu(A) * B, outGelu = gelu(A) with activateLeft, else A * gelu(B) and gelu(B), for
/// the halves A and B of self along dim; gelu as for aclnnGeGlu. gelu of -inf is 0, of NaN NaN; out is computed from
/// the float32 gelu.
///
/// self           in   rank 1..8, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend310P.
/// dim            in   an axis of self, -rank..rank-1.
/// approximate    in   0 or 1.
/// activateLeft   in   true or false.
/// out            out  dtype of self; shape of self with half the size along dim; any strides; may be self, or overlap
///                     it.
/// outGelu        out  dtype of self; shape of self with half the size along dim; any strides; may be self, or overlap
///                     it.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, self, out or outGelu is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: Ascend910 or Ascend310B); 161002 (a dtype not listed, dtypes that differ, a
/// private format, a rank not listed, a negative dimension, stride or offset, dim out of range, approximate not 0 or 1,
/// a size of self along dim that is no multiple of 2, another shape of out, another shape of outGelu). When self has no
/// elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: out: FLOAT 3 ULP (3.5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of
/// the result and 2^-126 of the other half; outGelu: FLOAT 2 ULP (3 without fused multiply-add), FLOAT16 and BFLOAT16
/// 0.51 ULP. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs. Same bits for any number of
/// threads. Callable from any thread. Source: aclnnGeGlu page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t approximate,
                                                   bool activateLeft, aclTensor* out, aclTensor* outGelu,
                                                   uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2, as that of aclnnGeGlu.
ACLNN_API aclnnStatus aclnnGeGluV3(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GEGLU_H_
