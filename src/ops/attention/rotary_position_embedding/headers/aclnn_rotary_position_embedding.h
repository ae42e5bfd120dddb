// SPDX-License-Identifier: Apache-2.0
// aclnnRotaryPositionEmbedding. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H_
#define ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnRotaryPositionEmbedding: yOut = x * cos + rotate(x) * sin along the last axis of D elements.
/// rotate(x) is in mode 0 the negated second half, then the first; in mode 1 -x1, x0, -x3, x2, ...; in mode 2 the
/// quarters -q2, q1, -q4, q3. In mode 3 the elements with even numbers and then those with odd ones take the place of
/// x, and the rest is as in mode 0. cos and sin are broadcast along every axis but the last.
///
/// x              in   rank 4, any strides. FLOAT, FLOAT16, BFLOAT16.
/// cos            in   dtype of x; rank 4; any strides.
/// sin            in   dtype of x; shape of cos; any strides.
/// mode           in   0 or 1 or 2 or 3.
/// yOut           out  dtype and shape of x; any strides; may overlap x, cos and sin; written although it is const.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (x, cos, sin, yOut, executor or workspaceSize is null, tested in this order); 561003 (PORTACL_SOC
/// names a product without the operator: it exists on Ascend910B, Ascend910_93 and Ascend950); 161002 (a dtype not
/// listed, dtypes that differ, a private format, a rank not listed, a negative dimension, stride or offset, mode not 0
/// or 1 or 2 or 3, size of x along axis -1 not from 0 to 1024, a breach of "x: last axis even, in mode 2 a multiple of
/// 4", size of x along axis -1 and size of cos along axis -1 that differ, size of x along axis 0 and size of cos along
/// axis 0 that differ and are not 1, size of x along axis 1 and size of cos along axis 1 that differ and are not 1,
/// size of x along axis 2 and size of cos along axis 2 that differ and are not 1, another shape of sin, another shape
/// of yOut). When x has no elements nothing is written. On failure nothing is written; aclGetRecentErrMsg() says what
/// and why.
///
/// Accuracy: FLOAT 1.1 ULP (1.6 without fused multiply-add) of the larger of the result and the larger product, FLOAT16
/// and BFLOAT16 0.51 ULP of the larger of the result and 2^-16 of the larger product. FLOAT16 and BFLOAT16 are the
/// nearest value for 99.9 % of random inputs. Same bits for any number of threads. Callable from any thread. Source:
/// aclnnRotaryPositionEmbedding page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGetWorkspaceSize(const aclTensor* x, const aclTensor* cos,
                                                                   const aclTensor* sin, int64_t mode,
                                                                   const aclTensor* yOut, uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnRotaryPositionEmbedding(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H_
