// SPDX-License-Identifier: Apache-2.0
// aclnnCtcLoss. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_CTC_LOSS_H_
#define ACLNNOP_ACLNN_CTC_LOSS_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnCtcLoss: negLogLikelihoodOut = -ln of the sum over all alignments of targets with time of the
/// product of exp(logProbs). Sample b has L = targetLengths[b] labels and I = inputLengths[b] steps. Its 2L + 1 states
/// are blank, label 0, blank, label 1, .. blank; sym(s) is the class of state s, and s may follow s - 2 at once when
/// sym(s) is neither the blank's state nor sym(s - 2).
///
///   alpha(0, s) = logProbs[0, b, sym(s)] for s = 0 and 1, else -inf
///   alpha(t, s) = ln(exp(alpha(t-1, s)) + exp(alpha(t-1, s-1)) + [s may follow s-2] exp(alpha(t-1, s-2)))
///                 + logProbs[t, b, sym(s)]
///   negLogLikelihoodOut[b] = -ln(exp(alpha(I-1, 2L)) + exp(alpha(I-1, 2L-1)))
///
/// I = 0 gives 0 when L = 0 and else inf. logAlphaOut[b, t, s] = alpha(t, s), -inf for t >= I and s > 2L. What lies
/// nearer to 0 than 1e-9 may become 0; FLOAT16 keeps the subnormals that it has above. With zeroInfinity infinite
/// losses become 0; logAlphaOut does not change. logProbs is (T, N, C), or (T, C) for one sample, with T > 0. targets
/// holds labels, (N, S) with S >= the longest target, or the targets of all samples one after the other in one axis;
/// FLOAT and FLOAT16 are truncated. A label that is no class makes its target impossible; one that equals blank is
/// taken as it is. blank is the class of the blank, 0..C-1. inputLengths are N values from 0 to T, targetLengths N
/// values from 0 on. negLogLikelihoodOut is (N), of rank 0 for one sample; logAlphaOut is (N, T, X), N = 1 for one
/// sample, X = 2 maxL + 1 or that rounded up to a multiple of 8, where maxL is the longest target. FLOAT16 and BFLOAT16
/// exist with at most 200000 classes, 8180 samples and 1000 labels, and are the results of FLOAT, rounded. Values of
/// tensors are never refused; lengths are named with the number of their sample. PyTorch's results count where the
/// operator's page is silent.
///
/// logProbs             in   rank 2..3, any strides. FLOAT, DOUBLE; FLOAT16 and BFLOAT16 not on Ascend910 and
///                           Ascend310P.
/// targets              in   rank 1..2, any strides. FLOAT, FLOAT16, INT32, INT64, BOOL.
/// inputLengths         in   int64 values.
/// targetLengths        in   int64 values.
/// blank                in   any int64.
/// zeroInfinity         in   true or false.
/// negLogLikelihoodOut  out  dtype of logProbs; rank 0..1; any strides; may overlap logProbs and targets.
/// logAlphaOut          out  dtype of logProbs; rank 3; any strides; may overlap logProbs and targets.
/// workspaceSize        out  bytes phase 2 needs; they grow with maxL and the number of threads, not with T.
/// executor             out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, logProbs, targets, inputLengths, targetLengths, negLogLikelihoodOut or
/// logAlphaOut is null, tested in this order); 161002 (size of logProbs along axis 0 not at least 1, a rank not listed,
/// a negative dimension, stride or offset, a breach of "blank is a class", a breach of "inputLengths are one per sample
/// and at most the time steps", a breach of "targetLengths are one per sample", a breach of "targets hold the labels
/// that targetLengths count", a breach of "one loss per sample", a breach of "logAlphaOut in one of two layouts");
/// 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002 (a dtype not listed, a breach of
/// "FLOAT16 and BFLOAT16 within their limits", dtypes that differ, a private format). On failure nothing is written;
/// aclGetRecentErrMsg() says what and why.
///
/// Accuracy: negLogLikelihoodOut: FLOAT 0.8 ULP, FLOAT16 and BFLOAT16 1 ULP, DOUBLE 4096 ULP, each of the larger of the
/// result and inputLengths / 256; logAlphaOut: FLOAT 1.1 ULP, FLOAT16 and BFLOAT16 1 ULP, DOUBLE 4096 ULP, each of the
/// larger of the result and inputLengths / 256. FLOAT16 and BFLOAT16 are the nearest value for 99.9 % of random inputs.
/// Same bits for any number of threads. Callable from any thread. Source: aclnnCtcLoss page of the CANN operator
/// documentation.
ACLNN_API aclnnStatus aclnnCtcLossGetWorkspaceSize(const aclTensor* logProbs, const aclTensor* targets,
                                                   const aclIntArray* inputLengths, const aclIntArray* targetLengths,
                                                   int64_t blank, bool zeroInfinity, aclTensor* negLogLikelihoodOut,
                                                   aclTensor* logAlphaOut, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (the workspace is smaller than
/// phase 1 said; a tensor leaves its block of device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnCtcLoss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CTC_LOSS_H_
