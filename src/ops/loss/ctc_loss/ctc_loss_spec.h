// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "exec/arguments.h"
#include "exec/schema.h"

namespace portacl::ops::ctc_loss {

// What ties operands to each other beyond the words of a schema: ctc_loss_plan.cc. Each rule is one row of the public
// pages' lists, in their order.

/// blank is a class: 0 <= blank < C.
aclnnStatus BlankIsAClass(const exec::Arguments& arguments, const exec::Step& step);

/// Backward: logAlpha has a column for every state of the longest target.
aclnnStatus AlphaHoldsTheLongestTarget(const exec::Arguments& arguments, const exec::Step& step);
/// Backward: 2-D targets have a column for every label of the longest target, and a row for every sample.
aclnnStatus TargetsHoldTheLongest(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus TargetsHaveARowPerSample(const exec::Arguments& arguments, const exec::Step& step);
/// Backward: no sample is longer than the batch.
aclnnStatus InputLengthsWithinTime(const exec::Arguments& arguments, const exec::Step& step);
/// Backward: 1-D targets have exactly the labels that targetLengths counts.
aclnnStatus TargetsAreAsManyAsCounted(const exec::Arguments& arguments, const exec::Step& step);

/// Forward: one length per sample, in range.
aclnnStatus InputLengthsFit(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus TargetLengthsFit(const exec::Arguments& arguments, const exec::Step& step);
/// Forward: all that the backward asks of targets.
aclnnStatus TargetsFit(const exec::Arguments& arguments, const exec::Step& step);
/// Forward: one loss per sample, and alpha in one of its two layouts.
aclnnStatus LossHasOneElementPerSample(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus AlphaHasAnAcceptedShape(const exec::Arguments& arguments, const exec::Step& step);
/// Forward: the shapes of an output that nobody has made yet; alpha without padding.
bool LossShape(const exec::Arguments& arguments, Shape* shape);
bool AlphaShape(const exec::Arguments& arguments, Shape* shape);

/// FLOAT16 and BFLOAT16 exist for problems up to a size.
aclnnStatus NarrowTypesWithinLimits(const exec::Arguments& arguments, const exec::Step& step);

/// The number of samples of (T, N, C) or (T, C).
inline int64_t SamplesOf(const View& log_probs) { return log_probs.rank == 3 ? log_probs.shape[1] : 1; }
inline int64_t ClassesOf(const View& log_probs) { return log_probs.shape[log_probs.rank - 1]; }

inline constexpr exec::ProductSet kProductsWithOperator = {Family::kAscend910B, Family::kAscend910_93,
                                                           Family::kAscend910, Family::kAscend310P, Family::kAscend950};
inline constexpr exec::ProductSet kProductsWithoutNarrowTypes = {Family::kAscend910, Family::kAscend310P};
inline constexpr exec::DtypeSet kDtypes = {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16, ACL_BF16};
inline constexpr exec::DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};
// The error of logAlpha times p, and of negLogLikelihood times q, are not counted: both are given.
inline constexpr const char* kGradientTerm = "|gradOut| * max(p, q)";
// A step adds at most 5.2e-11 to the error of a logarithm, DOUBLE 12 * 2^-53 (docs/numerics.md), and where
// probabilities add up to 1, the logarithm is nothing but that: 0.3 ULP, and 4096 ULP, of this.
inline constexpr const char* kLogarithmTerm = "inputLengths / 256";
inline constexpr exec::DtypeSet kWideDtypes = {ACL_FLOAT, ACL_DOUBLE};
inline constexpr exec::DtypeSet kTargetDtypes = {ACL_INT64, ACL_INT32, ACL_BOOL, ACL_FLOAT, ACL_FLOAT16};
inline constexpr int64_t kAnySize = std::numeric_limits<int64_t>::max();

// Shapes are checked before dtypes.
inline constexpr exec::SchemaOf kCtcLossBackward(
    {.api = "aclnnCtcLossBackward",
     .formula = "(exp(logProbs) - posterior of the class) * gradOut, from the given logAlpha and negLogLikelihood",
     .source = "aclnnCtcLossBackward page of the CANN operator documentation",
     .accuracy = {exec::Epsilon("out", {ACL_FLOAT}, 2).OfTerm(kGradientTerm),
                  exec::Ulp("out", kNarrow, 1).OfTerm(kGradientTerm).NearestBut(0.002),
                  exec::Ulp("out", {ACL_DOUBLE}, 4096).OfTerm(kGradientTerm)},
     .products = kProductsWithOperator},
    {exec::In("gradOut"), exec::In("logProbs"), exec::In("targets"),
     exec::Attribute("inputLengths", exec::ValueKind::kIntArray),
     exec::Attribute("targetLengths", exec::ValueKind::kIntArray), exec::In("negLogLikelihood"), exec::In("logAlpha"),
     exec::Attribute("blank", exec::ValueKind::kInt64), exec::Attribute("zeroInfinity", exec::ValueKind::kBool),
     exec::Out("out")},
    {exec::NotNull("workspaceSize", "executor"),
     exec::NotNull("gradOut", "logProbs", "targets", "inputLengths", "targetLengths", "negLogLikelihood", "logAlpha",
                   "out"),
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
     exec::OnProducts(),
     exec::DtypeOneOf({"logProbs"}, kDtypes).On(kProductsWithoutNarrowTypes, kWideDtypes),
     exec::Custom("FLOAT16 and BFLOAT16 within their limits", NarrowTypesWithinLimits),
     exec::SameDtype("logProbs", "gradOut", "negLogLikelihood", "logAlpha", "out"),
     exec::DtypeOneOf({"targets"}, kTargetDtypes),
     exec::PlainFormat("gradOut", "logProbs", "targets", "negLogLikelihood", "logAlpha", "out")});

inline constexpr exec::SchemaOf kCtcLoss(
    {.api = "aclnnCtcLoss",
     .formula = "-ln of the sum over all alignments of targets with time of the product of exp(logProbs)",
     .source = "aclnnCtcLoss page of the CANN operator documentation",
     .accuracy = {exec::Ulp("negLogLikelihoodOut", {ACL_FLOAT}, 0.8).OfTerm(kLogarithmTerm),
                  exec::Ulp("negLogLikelihoodOut", kNarrow, 1).OfTerm(kLogarithmTerm),
                  exec::Ulp("negLogLikelihoodOut", {ACL_DOUBLE}, 4096).OfTerm(kLogarithmTerm),
                  exec::Ulp("logAlphaOut", {ACL_FLOAT}, 1.1).OfTerm(kLogarithmTerm),
                  exec::Ulp("logAlphaOut", kNarrow, 1).OfTerm(kLogarithmTerm),
                  exec::Ulp("logAlphaOut", {ACL_DOUBLE}, 4096).OfTerm(kLogarithmTerm)},
     .products = kProductsWithOperator},
    {exec::In("logProbs"), exec::In("targets"), exec::Attribute("inputLengths", exec::ValueKind::kIntArray),
     exec::Attribute("targetLengths", exec::ValueKind::kIntArray), exec::Attribute("blank", exec::ValueKind::kInt64),
     exec::Attribute("zeroInfinity", exec::ValueKind::kBool), exec::Out("negLogLikelihoodOut"),
     exec::Out("logAlphaOut")},
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
     exec::OnProducts(), exec::DtypeOneOf({"logProbs"}, kDtypes).On(kProductsWithoutNarrowTypes, kWideDtypes),
     exec::Custom("FLOAT16 and BFLOAT16 within their limits", NarrowTypesWithinLimits),
     exec::DtypeOneOf({"targets"}, kTargetDtypes), exec::SameDtype("logProbs", "negLogLikelihoodOut", "logAlphaOut"),
     exec::PlainFormat("logProbs", "targets", "negLogLikelihoodOut", "logAlphaOut")});

}  // namespace portacl::ops::ctc_loss
