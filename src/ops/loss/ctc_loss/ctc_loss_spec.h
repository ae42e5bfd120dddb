// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::ctc_loss {

// Relations between operands that the words of a schema cannot express: ctc_loss_shapes.cc. Each rule is one row of the
// public pages' lists, in their order.

/// blank is a class: 0 <= blank < C.
aclnnStatus BlankIsAClass(const exec::Arguments& arguments, const exec::Step& step);

/// Backward: logAlpha has a column for every state of the longest target.
aclnnStatus AlphaHoldsTheLongestTarget(const exec::Arguments& arguments, const exec::Step& step);
/// Backward: 2-D targets have a column for every label of the longest target, and a row for every sample.
aclnnStatus TargetsHoldTheLongest(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus TargetsHaveARowPerSample(const exec::Arguments& arguments, const exec::Step& step);
/// Backward: no sample is longer than the batch.
aclnnStatus InputLengthsWithinTime(const exec::Arguments& arguments, const exec::Step& step);
/// Backward: 1-D targets have exactly as many labels as targetLengths sums to.
aclnnStatus TargetsAreAsManyAsCounted(const exec::Arguments& arguments, const exec::Step& step);

/// Forward: one length per sample, in range.
aclnnStatus InputLengthsFit(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus TargetLengthsFit(const exec::Arguments& arguments, const exec::Step& step);
/// Forward: all requirements of backward on targets.
aclnnStatus TargetsFit(const exec::Arguments& arguments, const exec::Step& step);
/// Forward: one loss per sample, and alpha in one of its two layouts.
aclnnStatus LossHasOneElementPerSample(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus AlphaHasAnAcceptedShape(const exec::Arguments& arguments, const exec::Step& step);
/// Forward: the shapes of outputs that do not exist yet; alpha without padding.
bool LossShape(const exec::Arguments& arguments, Shape* shape);
bool AlphaShape(const exec::Arguments& arguments, Shape* shape);

/// FLOAT16 and BFLOAT16 are supported up to a problem size.
aclnnStatus NarrowTypesWithinLimits(const exec::Arguments& arguments, const exec::Step& step);

/// The number of samples of (T, N, C) or (T, C).
inline int64_t SamplesOf(const View& log_probs) { return log_probs.rank == 3 ? log_probs.shape[1] : 1; }
inline int64_t ClassesOf(const View& log_probs) { return log_probs.shape[log_probs.rank - 1]; }

using families::kNarrow;

// The errors of logAlpha, times p, and of negLogLikelihood, times q, are excluded: both are inputs.
inline constexpr const char* kGradientTerm = "|gradOut| * max(p, q)";
// A step adds at most 5.2e-11 to the error of a logarithm, DOUBLE 12 * 2^-53 (docs/numerics.md), and if probabilities
// add up to 1, the logarithm consists of this error only: 0.3 ULP, and 4096 ULP for DOUBLE, of this term.
inline constexpr const char* kLogarithmTerm = "inputLengths / 256";
// No FLOAT16 and BFLOAT16 on Ascend910 and Ascend310P.
inline constexpr exec::Step kLogProbsDtypes =
    exec::DtypeOneOf({"logProbs"}, families::kFloats4)
        .On({SocFamily::kAscend910, SocFamily::kAscend310P}, {ACL_FLOAT, ACL_DOUBLE});
inline constexpr exec::DtypeSet kTargetDtypes = {ACL_INT64, ACL_INT32, ACL_BOOL, ACL_FLOAT, ACL_FLOAT16};
inline constexpr int64_t kAnySize = std::numeric_limits<int64_t>::max();

inline constexpr const char* kWorkspace = "they grow with maxL and the number of threads, not with T";

PORTACL_ROW(
    CtcLoss, opapi_nn, "aclnn_ctc_loss.h",
    exec::MakeRecipe(
        {.formula = "-ln of the sum over all alignments of targets with time of the product of exp(logProbs)",
         .special =
             "Sample b has L = targetLengths[b] labels and I = inputLengths[b] steps. Its 2L + 1 states are blank, "
             "label 0, blank, label 1, .. blank; sym(s) is the class of state s, and s may follow s - 2 at once when "
             "sym(s) is neither the blank's state nor sym(s - 2).\n"
             "  alpha(0, s) = logProbs[0, b, sym(s)] for s = 0 and 1, else -inf\n"
             "  alpha(t, s) = ln(exp(alpha(t-1, s)) + exp(alpha(t-1, s-1)) + [s may follow s-2] exp(alpha(t-1, s-2)))\n"
             "                + logProbs[t, b, sym(s)]\n"
             "  negLogLikelihoodOut[b] = -ln(exp(alpha(I-1, 2L)) + exp(alpha(I-1, 2L-1)))\n"
             "I = 0 gives 0 when L = 0 and else inf. logAlphaOut[b, t, s] = alpha(t, s), -inf for t >= I and s > 2L. "
             "What lies nearer to 0 than 1e-9 may become 0; FLOAT16 keeps the subnormals that it has above. With "
             "zeroInfinity infinite losses become 0; logAlphaOut does not change. logProbs is (T, N, C), or (T, C) for "
             "one sample, with T > 0. targets holds labels, (N, S) with S >= the longest target, or the targets of all "
             "samples one after the other in one axis; FLOAT and FLOAT16 are truncated. A label that is no class makes "
             "its target impossible; one that equals blank is taken as it is. blank is the class of the blank, 0..C-1. "
             "inputLengths are N values from 0 to T, targetLengths N values from 0 on. negLogLikelihoodOut is (N), of "
             "rank 0 for one sample; logAlphaOut is (N, T, X), N = 1 for one sample, X = 2 maxL + 1 or that rounded up "
             "to a multiple of 8, where maxL is the longest target. FLOAT16 and BFLOAT16 exist with at most 200000 "
             "classes, 8180 samples and 1000 labels, and are the results of FLOAT, rounded. Values of tensors are "
             "never refused; lengths are named with the number of their sample. PyTorch's results count where the "
             "operator's page is silent.",
         .workspace = kWorkspace,
         .accuracy = {exec::Ulp("negLogLikelihoodOut", {ACL_FLOAT}, 0.8).OfTerm(kLogarithmTerm),
                      exec::Ulp("negLogLikelihoodOut", kNarrow, 1).OfTerm(kLogarithmTerm),
                      exec::Ulp("negLogLikelihoodOut", {ACL_DOUBLE}, 4096).OfTerm(kLogarithmTerm),
                      exec::Ulp("logAlphaOut", {ACL_FLOAT}, 1.1).OfTerm(kLogarithmTerm),
                      exec::Ulp("logAlphaOut", kNarrow, 1).OfTerm(kLogarithmTerm),
                      exec::Ulp("logAlphaOut", {ACL_DOUBLE}, 4096).OfTerm(kLogarithmTerm)},
         .socs = families::kMost},
        {exec::In("logProbs"), exec::In("targets"), exec::Attribute("inputLengths", exec::ValueKind::kIntArray),
         exec::Attribute("targetLengths", exec::ValueKind::kIntArray),
         exec::Attribute("blank", exec::ValueKind::kInt64), exec::Attribute("zeroInfinity", exec::ValueKind::kBool),
         exec::Out("negLogLikelihoodOut"), exec::Out("logAlphaOut")},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("logProbs", "targets", "inputLengths", "targetLengths", "negLogLikelihoodOut", "logAlphaOut"),
         exec::SizeInRange({exec::Axis("logProbs", 0)}, 1, kAnySize), exec::Rank({"logProbs"}, 2, 3),
         exec::Custom("blank is a class", BlankIsAClass),
         exec::Custom("inputLengths are one per sample and at most the time steps", InputLengthsFit),
         exec::Custom("targetLengths are one per sample", TargetLengthsFit), exec::Rank({"targets"}, 1, 2),
         exec::Custom("targets hold the labels that targetLengths count", TargetsFit),
         exec::Rank({"negLogLikelihoodOut"}, 0, 1),
         exec::Custom("one loss per sample", LossHasOneElementPerSample).Accepts("negLogLikelihoodOut", LossShape),
         exec::Rank({"logAlphaOut"}, 3, 3),
         exec::Custom("logAlphaOut in one of two layouts", AlphaHasAnAcceptedShape).Accepts("logAlphaOut", AlphaShape),
         exec::OnSocs(), kLogProbsDtypes,
         exec::Custom("FLOAT16 and BFLOAT16 within their limits", NarrowTypesWithinLimits),
         exec::DtypeOneOf({"targets"}, kTargetDtypes),
         exec::SameDtype("logProbs", "negLogLikelihoodOut", "logAlphaOut"),
         exec::PlainFormat("logProbs", "targets", "negLogLikelihoodOut", "logAlphaOut")}));

// Shapes are checked before dtypes.
PORTACL_ROW(
    CtcLossBackward, opapi_nn, "aclnn_ctc_loss_backward.h",
    exec::MakeRecipe(
        {.formula = "(exp(logProbs) - posterior of the class) * gradOut, from the given logAlpha and negLogLikelihood",
         .special =
             "The gradient is with respect to what log_softmax was applied to. With states, sym(s), L and I as for "
             "aclnnCtcLoss and alpha = logAlpha, which is used as given:\n"
             "  beta(I-1, s) = logProbs[I-1, b, sym(s)] for s = 2L and 2L-1, else -inf\n"
             "  beta(t, s)   = ln(exp(beta(t+1, s)) + exp(beta(t+1, s+1)) + [s+2 may follow s] exp(beta(t+1, s+2)))\n"
             "                 + logProbs[t, b, sym(s)]\n"
             "  p(t, c)      = exp(logProbs[t, b, c])\n"
             "  q(t, c)      = sum over s with sym(s) = c of exp(alpha(t, s) + beta(t, s) + negLogLikelihood[b]) / "
             "p(t, c)\n"
             "  out[t, b, c] = (p(t, c) - q(t, c)) * gradOut[b] for t < I, 0 for t >= I\n"
             "Where p is 0 because logProbs is -inf, out is NaN. At t = I-1, when the last label is the blank, its "
             "term replaces that of the blank. A sample is 0 throughout when zeroInfinity is set and "
             "negLogLikelihood[b] is infinite, or 0 although neither of the last two states is possible (an infinite "
             "loss that the forward has set to zero). But for DOUBLE, p, q and their difference count as 0 below the "
             "smallest normal float, 2^-126; products with gradOut below the smallest normal number of their dtype are "
             "subnormals. logProbs is (T, N, C) with T > 0; gradOut and negLogLikelihood are (N) with N > 0; logAlpha "
             "is (N, T, X), X >= 2 maxL + 1, where maxL is the longest target, and only t < I and s <= 2L of it are "
             "read. targets, their dtypes and labels, the lengths, blank and the limits of FLOAT16 and BFLOAT16 are "
             "those of aclnnCtcLoss. Values of tensors are never refused; lengths are named with the number of their "
             "sample. The accuracy holds for the given logAlpha and negLogLikelihood; their own rounding changes q by "
             "that much more. An epsilon is 2^-23. FLOAT16 and BFLOAT16 are the results of FLOAT, rounded. PyTorch's "
             "results count where the operator's page is silent.",
         .workspace = kWorkspace,
         .accuracy = {exec::Epsilon("out", {ACL_FLOAT}, 2).OfTerm(kGradientTerm),
                      exec::Ulp("out", kNarrow, 1).OfTerm(kGradientTerm).NearestBut(0.002),
                      exec::Ulp("out", {ACL_DOUBLE}, 4096).OfTerm(kGradientTerm)},
         .socs = families::kMost},
        {exec::In("gradOut"), exec::In("logProbs"), exec::In("targets"),
         exec::Attribute("inputLengths", exec::ValueKind::kIntArray),
         exec::Attribute("targetLengths", exec::ValueKind::kIntArray), exec::In("negLogLikelihood"),
         exec::In("logAlpha"), exec::Attribute("blank", exec::ValueKind::kInt64),
         exec::Attribute("zeroInfinity", exec::ValueKind::kBool), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("gradOut", "logProbs", "targets", "inputLengths", "targetLengths", "negLogLikelihood",
                       "logAlpha", "out"),
         exec::SizeInRange({exec::Axis("logProbs", 0)}, 1, kAnySize),
         exec::Rank({"gradOut", "negLogLikelihood"}, 1, 1),
         exec::Rank({"logProbs", "logAlpha"}, 3, 3),
         exec::Rank({"targets"}, 1, 2),
         exec::Rank({"out"}, 3, 3),
         exec::Custom("blank is a class", BlankIsAClass),
         exec::Custom("logAlpha holds the longest target", AlphaHoldsTheLongestTarget),
         exec::NotEmpty("gradOut", "negLogLikelihood", "logAlpha"),
         exec::Custom("targets hold the longest target", TargetsHoldTheLongest),
         exec::SameSize({exec::Axis("logProbs", 1), exec::Axis("gradOut", 0), exec::Axis("out", 1),
                         exec::Axis("negLogLikelihood", 0), exec::Axis("logAlpha", 0), exec::Length("inputLengths"),
                         exec::Length("targetLengths")}),
         exec::Custom("2-D targets have a row per sample", TargetsHaveARowPerSample),
         exec::SameSize({exec::Axis("logProbs", 0), exec::Axis("out", 0), exec::Axis("logAlpha", 1)}),
         exec::Custom("inputLengths are at most the time steps", InputLengthsWithinTime),
         exec::SameSize({exec::Axis("logProbs", 2), exec::Axis("out", 2)}),
         exec::ValueAtLeast("inputLengths", 0),
         exec::ValueAtLeast("targetLengths", 0),
         exec::Custom("1-D targets have as many labels as targetLengths count", TargetsAreAsManyAsCounted),
         exec::OnSocs(),
         kLogProbsDtypes,
         exec::Custom("FLOAT16 and BFLOAT16 within their limits", NarrowTypesWithinLimits),
         exec::SameDtype("logProbs", "gradOut", "negLogLikelihood", "logAlpha", "out"),
         exec::DtypeOneOf({"targets"}, kTargetDtypes),
         exec::PlainFormat("gradOut", "logProbs", "targets", "negLogLikelihood", "logAlpha", "out")}));

}  // namespace portacl::ops::ctc_loss
