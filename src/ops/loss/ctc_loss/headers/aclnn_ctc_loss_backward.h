// SPDX-License-Identifier: Apache-2.0
// aclnnCtcLossBackward. Written by tools/operator_headers.
#ifndef ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of aclnnCtcLossBackward: out = (exp(logProbs) - posterior of the class) * gradOut, from the given logAlpha
/// and negLogLikelihood. The gradient is with respect to what log_softmax was applied to. With states, sym(s), L and I
/// as for aclnnCtcLoss and alpha = logAlpha, which is used as given:
///
///   beta(I-1, s) = logProbs[I-1, b, sym(s)] for s = 2L and 2L-1, else -inf
///   beta(t, s)   = ln(exp(beta(t+1, s)) + exp(beta(t+1, s+1)) + [s+2 may follow s] exp(beta(t+1, s+2)))
///                  + logProbs[t, b, sym(s)]
///   p(t, c)      = exp(logProbs[t, b, c])
///   q(t, c)      = sum over s with sym(s) = c of exp(alpha(t, s) + beta(t, s) + negLogLikelihood[b]) / p(t, c)
///   out[t, b, c] = (p(t, c) - q(t, c)) * gradOut[b] for t < I, 0 for t >= I
///
/// Where p is 0 because logProbs is -inf, out is NaN. At t = I-1, when the last label is the blank, its term replaces
/// that of the blank. A sample is 0 throughout when zeroInfinity is set and negLogLikelihood[b] is infinite, or 0
/// although neither of the last two states is possible (an infinite loss that the forward has set to zero). But for
/// DOUBLE, p, q and their difference count as 0 below the smallest normal float, 2^-126; products with gradOut below
/// the smallest normal number of their dtype are subnormals. logProbs is (T, N, C) with T > 0; gradOut and
/// negLogLikelihood are (N) with N > 0; logAlpha is (N, T, X), X >= 2 maxL + 1, where maxL is the longest target, and
/// only t < I and s <= 2L of it are read. targets, their dtypes and labels, the lengths, blank and the limits of
/// FLOAT16 and BFLOAT16 are those of aclnnCtcLoss. Values of tensors are never refused; lengths are named with the
/// number of their sample. The accuracy holds for the given logAlpha and negLogLikelihood; their own rounding changes q
/// by that much more. An epsilon is 2^-23. FLOAT16 and BFLOAT16 are the results of FLOAT, rounded. PyTorch's results
/// count where the operator's page is silent.
///
/// gradOut           in   dtype of logProbs; rank 1; any strides.
/// logProbs          in   rank 3, any strides. FLOAT, DOUBLE; FLOAT16 and BFLOAT16 not on Ascend910 and Ascend310P.
/// targets           in   rank 1..2, any strides. FLOAT, FLOAT16, INT32, INT64, BOOL.
/// inputLengths      in   at least 0.
/// targetLengths     in   at least 0.
/// negLogLikelihood  in   dtype of logProbs; rank 1; any strides.
/// logAlpha          in   dtype of logProbs; rank 3; any strides.
/// blank             in   any int64.
/// zeroInfinity      in   true or false.
/// out               out  dtype of logProbs; rank 3; any strides; may overlap gradOut, logProbs, targets,
///                        negLogLikelihood and logAlpha.
/// workspaceSize     out  bytes phase 2 needs; they grow with maxL and the number of threads, not with T.
/// executor          out  plan for one phase-2 call, which consumes it.
///
/// Returns 0; 161001 (workspaceSize, executor, gradOut, logProbs, targets, inputLengths, targetLengths,
/// negLogLikelihood, logAlpha or out is null, tested in this order); 161002 (size of logProbs along axis 0 not at least
/// 1, a rank not listed, a negative dimension, stride or offset, a breach of "blank is a class", a breach of "logAlpha
/// holds the longest target", no elements in gradOut, negLogLikelihood or logAlpha, a breach of "targets hold the
/// longest target", size of logProbs along axis 1, size of gradOut along axis 0, size of out along axis 1, size of
/// negLogLikelihood along axis 0, size of logAlpha along axis 0, length of inputLengths and length of targetLengths
/// that differ, a breach of "2-D targets have a row per sample", size of logProbs along axis 0, size of out along axis
/// 0 and size of logAlpha along axis 1 that differ, a breach of "inputLengths are at most the time steps", size of
/// logProbs along axis 2 and size of out along axis 2 that differ, inputLengths not at least 0, targetLengths not at
/// least 0, a breach of "1-D targets have as many labels as targetLengths count"); 561003 (PORTACL_SOC names a product
/// without the operator: Ascend310B); 161002 (a dtype not listed, a breach of "FLOAT16 and BFLOAT16 within their
/// limits", dtypes that differ, a private format). On failure nothing is written; aclGetRecentErrMsg() says what and
/// why.
///
/// Accuracy: FLOAT 2 epsilon, FLOAT16 and BFLOAT16 1 ULP, DOUBLE 4096 ULP, each of the larger of the result and
/// |gradOut| * max(p, q). FLOAT16 and BFLOAT16 are the nearest value for 99.8 % of random inputs. Same bits for any
/// number of threads. Callable from any thread. Source: aclnnCtcLossBackward page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnCtcLossBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* logProbs,
                                                           const aclTensor* targets, const aclIntArray* inputLengths,
                                                           const aclIntArray* targetLengths,
                                                           const aclTensor* negLogLikelihood, const aclTensor* logAlpha,
                                                           int64_t blank, bool zeroInfinity, aclTensor* out,
                                                           uint64_t* workspaceSize, aclOpExecutor** executor);

/// Phase 2: hands the plan to `stream` (null: the default stream). The result may be read after the stream is
/// synchronized.
///
/// Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with elements has
/// no address); 561000 (executor unknown, already used, or of another operator); 161002 (the workspace is smaller than
/// phase 1 said; a tensor leaves its block of device memory); 361001 (the stream is not usable).
ACLNN_API aclnnStatus aclnnCtcLossBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_
