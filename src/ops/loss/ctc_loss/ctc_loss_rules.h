// SPDX-License-Identifier: Apache-2.0
//
// What ties the operands of this room to each other beyond the words of a schema. Each rule is one row of the public
// pages' lists, in their order.
#pragma once

#include <cstdint>

#include "exec/arguments.h"

namespace portacl::ops::ctc_loss {

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

}  // namespace portacl::ops::ctc_loss
