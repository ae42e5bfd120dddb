// SPDX-License-Identifier: Apache-2.0
// aclnnSoftmaxCrossEntropyWithLogits. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H_
#define ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnSoftmaxCrossEntropyWithLogits: loss = -sum(labels * log p), backprop = p - labels, p being the
/// softmax of each row of features. A label of 0 beside -inf gives NaN in loss. Labels that do not add up to 1 change
/// nothing in backprop.
///
/// features       in   rank 2, any strides. FLOAT, FLOAT16; BFLOAT16 not on Ascend910 and Ascend310P.
/// labels         in   shape: one that broadcasts to that of features; any strides; written although it is const.
///                     Dtypes as for features.
/// loss           out  dtype of features; rank 0..8; any strides; may overlap features and labels.
/// backprop       out  dtype and shape of features; any strides; may overlap features and labels.
/// workspaceSize  out  bytes phase 2 needs; always 0.
/// executor       out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, features, labels, loss or backprop is null, tested in this order);
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, dtypes that
/// differ, a private format, a rank not listed, a negative dimension, stride or offset); 0 (no elements in features);
/// 161002 (another shape of labels, a breach of "loss: an element for each row of features", another shape of
/// backprop). When features has no elements the call ends with 0 there, and nothing is written. On failure nothing is
/// written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: loss: FLOAT 4 ULP (5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51 ULP, each of the larger of the
/// result and sum |labels * log p|; backprop: FLOAT 4 ULP (5 without fused multiply-add), FLOAT16 and BFLOAT16 0.51
/// ULP, each of the larger of the result and p. FLOAT16 and BFLOAT16 are the nearest value for 98 % of random inputs.
/// Same bits for any number of threads. Callable from any thread. Source: aclnnSoftmaxCrossEntropyWithLogits page of
/// the CANN operator documentation.
ACLNN_API aclnnStatus aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(const aclTensor* features, aclTensor* labels,
                                                                         aclTensor* loss, aclTensor* backprop,
                                                                         uint64_t* workspaceSize,
                                                                         aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (a tensor leaves its block of
/// device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnSoftmaxCrossEntropyWithLogits(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H_
