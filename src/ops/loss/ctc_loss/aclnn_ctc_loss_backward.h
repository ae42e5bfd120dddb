// SPDX-License-Identifier: Apache-2.0
// Gradient of the connectionist temporal classification (CTC) loss.
#ifndef ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_
#define ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H_

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phase 1 of the gradient of the CTC loss with respect to what log_softmax was applied to. With states, sym(s), L and
/// I as in aclnn_ctc_loss.h and alpha = logAlpha, which is used as given:
///
///   beta(I-1, s) = logProbs[I-1, b, sym(s)] for s = 2L and 2L-1, else -Inf
///   beta(t, s)   = ln(exp(beta(t+1, s)) + exp(beta(t+1, s+1)) + [s+2 may follow s] exp(beta(t+1, s+2)))
///                  + logProbs[t, b, sym(s)]
///   p(t, c)      = exp(logProbs[t, b, c])
///   q(t, c)      = sum over s with sym(s) = c of exp(alpha(t, s) + beta(t, s) + negLogLikelihood[b]) / p(t, c)
///   out[t, b, c] = (p(t, c) - q(t, c)) * gradOut[b] for t < I, 0 for t >= I
///
/// Where p is 0 because logProbs is -Inf, out is NaN. At t = I-1, when the last label is the blank, its term replaces
/// that of the blank. A sample is 0 throughout when zeroInfinity is set and negLogLikelihood[b] is infinite, or 0
/// although neither of the last two states is possible (an infinite loss that the forward has set to zero). But for
/// DOUBLE, p, q and their difference count as 0 below the smallest normal float, 2^-126; products with gradOut below
/// the smallest normal number of their dtype are subnormals.
///
/// gradOut           in   (N), N > 0; dtype of logProbs.
/// logProbs          in   (T, N, C), T > 0. FLOAT, DOUBLE; FLOAT16 and BFLOAT16 (not on Ascend910 and Ascend310P) with
///                        at most 200000 classes, 8180 samples, 1000 labels.
/// targets           in   labels, (N, S) with S >= the longest target, or the targets of all samples one after the
///                        other in one axis. INT64, INT32, BOOL, FLOAT or FLOAT16 (truncated). A label that is no
///                        class makes its target impossible; one that equals blank is taken as it is.
/// inputLengths      in   N values from 0 to T.
/// targetLengths     in   N values from 0 on.
/// negLogLikelihood  in   (N); dtype of logProbs.
/// logAlpha          in   (N, T, X), X >= 2 maxL + 1, where maxL is the longest target; dtype of logProbs. Only t < I
///                        and s <= 2L are read.
/// blank             in   class of the blank, 0..C-1.
/// zeroInfinity      in   samples with an infinite loss have gradient 0.
/// out               out  shape and dtype of logProbs; may be logProbs.
/// workspaceSize     out  bytes phase 2 needs; they grow with maxL and the number of threads, not with T.
/// executor          out  plan for one phase-2 call, which consumes it.
///
/// All tensors may have any strides, and out may overlap inputs.
///
/// Returns 0; 161001 (a pointer is null); 561003 (PORTACL_SOC names a product without the operator: Ascend310B); 161002
/// (anything that is not as above; lengths are named with the number of their sample). Shapes are checked before
/// dtypes. Values of tensors are never refused. On failure nothing is written; aclGetRecentErrMsg() says what and why.
///
/// Accuracy: FLOAT 2 epsilon, FLOAT16 and BFLOAT16 1 ULP, DOUBLE 4096 ULP, each of the larger of the result and
/// |gradOut| * max(p, q). An epsilon is 2^-23. This holds for the given logAlpha and negLogLikelihood; their own
/// rounding changes q by that much more. FLOAT16 and BFLOAT16 are the results of FLOAT, rounded. Same bits for any
/// number of threads. Callable from any thread. Source: aclnnCtcLossBackward page of the CANN operator documentation,
/// and PyTorch's results where it is silent.
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
