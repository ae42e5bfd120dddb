// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "families/movement.h"
#include "families/norm.h"

namespace portacl::ops::group_norm {

using exec::Attribute;
using exec::ValueKind;

/// C is a multiple of group.
aclnnStatus CheckGroups(const exec::Arguments& arguments, const exec::Step& step);
/// N, C and HxW match the sizes of the first tensor.
aclnnStatus CheckSizes(const exec::Arguments& arguments, const exec::Step& step);
/// self and out have the same format, which is neither private nor channels-last.
aclnnStatus CheckFormats(const exec::Arguments& arguments, const exec::Step& step);
bool ChannelsShape(const exec::Arguments& arguments, Shape* shape);
bool GroupsShape(const exec::Arguments& arguments, Shape* shape);

PORTACL_ROW(
    GroupNorm, opapi_nn, "aclnn_group_norm.h",
    exec::MakeRecipe(
        {.formula = "out = (self - mean) * rstd * gamma + beta, mean over the channels of a group, rstd = 1 / "
                    "sqrt(mean of (self - mean)^2 + eps); gamma and beta of the channel",
         .special =
             "A missing gamma is 1, a missing beta 0. A group with a NaN or an infinite element is NaN. Mean and rstd "
             "of an empty group are NaN. Where meanOut and rstdOut share memory, its final content is undefined.",
         .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 4)
                          .OfTerm("|beta| and |gamma| max(1, |(self - mean) rstd|, 2^-22 |mean| rstd)"),
                      exec::Ulp("out", families::kNarrow, 0.51)
                          .OfTerm("2^-4 of |beta| and of |gamma| max(1, |(self - mean) rstd|)"),
                      exec::Ulp("meanOut", families::kFloats3, 0.51).OfTerm("2^-20 of the group's largest |self|"),
                      exec::Ulp("rstdOut", families::kFloats3, 0.51)},
         .socs = families::kMost},
        {exec::In("self"), exec::OptionalIn("gamma"), exec::OptionalIn("beta"), Attribute("N", ValueKind::kInt64),
         Attribute("C", ValueKind::kInt64), Attribute("HxW", ValueKind::kInt64), Attribute("group", ValueKind::kInt64),
         Attribute("eps", ValueKind::kDouble), exec::Out("out"), exec::Out("meanOut"), exec::Out("rstdOut")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out", "meanOut", "rstdOut"), exec::OnSocs(),
         families::Dtypes({"self"}, families::kFloats3),
         exec::SameDtype("self", "gamma", "beta", "out", "meanOut", "rstdOut"), exec::ValueAtLeast("group", 1),
         exec::Custom("C: a multiple of group", CheckGroups),
         exec::ValueAtLeast("eps", std::numeric_limits<double>::denorm_min()), exec::Rank({"self"}, 2, kMaxRank),
         exec::MaxRank("gamma", "beta", "out", "meanOut", "rstdOut"),
         exec::Custom("N, C, HxW: the sizes of self, HxW of all axes behind the second", CheckSizes),
         families::ShapeFrom("gamma: [C]", "gamma", ChannelsShape),
         families::ShapeFrom("beta: [C]", "beta", ChannelsShape), exec::ShapeIs("out", exec::SameShapeAs("self")),
         families::ShapeFrom("meanOut: [N, group]", "meanOut", GroupsShape),
         families::ShapeFrom("rstdOut: [N, group]", "rstdOut", GroupsShape),
         exec::Custom("formats: self and out have one; none is private, NHWC, HWCN or NDHWC", CheckFormats)}));

inline constexpr const char* kGradientTerm =
    "|rstd| times the group's largest |d| or |h| mean |d h|, d = gradOut gamma; 2^-4 of it in 16 bits";
inline constexpr const char* kGammaTerm = "the sum of |gradOut h|; 2^-4 of it in 16 bits";

PORTACL_ROW(
    GroupNormBackward, opapi_nn, "aclnn_group_norm_backward.h",
    exec::MakeRecipe(
        {.formula = "with h = (input - mean) * rstd and d = gradOut * gamma: gradInput = rstd * (d - mean(d) - h * "
                    "mean(d * h)), means over groups; gradGammaOut and gradBetaOut, the sums over a channel of gradOut "
                    "* h and of gradOut",
         .special = "A missing gamma is 1. Outputs that outputMask does not select are not written.",
         .accuracy = {exec::Ulp("gradInput", {ACL_FLOAT}, 4).OfTerm(kGradientTerm),
                      exec::Ulp("gradInput", families::kNarrow, 0.51).OfTerm(kGradientTerm),
                      exec::Ulp("gradGammaOut", {ACL_FLOAT}, 4).OfTerm(kGammaTerm),
                      exec::Ulp("gradGammaOut", families::kNarrow, 0.51).OfTerm(kGammaTerm).NearestBut(0.003),
                      exec::Ulp("gradBetaOut", families::kFloats3, 0.51).OfTerm("2^-20 of the sum of |gradOut|")},
         .socs = families::kMost},
        {exec::In("gradOut"), exec::In("input"), exec::In("mean"), exec::In("rstd"), exec::OptionalIn("gamma"),
         Attribute("N", ValueKind::kInt64), Attribute("C", ValueKind::kInt64), Attribute("HxW", ValueKind::kInt64),
         Attribute("group", ValueKind::kInt64), Attribute("outputMask", ValueKind::kBoolArray),
         exec::OptionalOut("gradInput"), exec::OptionalOut("gradGammaOut"), exec::OptionalOut("gradBetaOut")},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("gradOut", "input", "mean", "rstd", "outputMask"),
         families::MaskHasThree(),
         families::SelectedAreGiven(),
         exec::OnSocs(),
         families::Dtypes({"gradOut"}, families::kFloats3),
         exec::SameDtype("gradOut", "input", "mean", "rstd", "gamma", "gradInput", "gradGammaOut", "gradBetaOut"),
         exec::ValueAtLeast("group", 1),
         exec::Custom("C: a multiple of group", CheckGroups),
         exec::PlainFormat("gradOut", "input", "mean", "rstd", "gamma", "gradInput", "gradGammaOut", "gradBetaOut"),
         exec::Rank({"gradOut", "input"}, 2, kMaxRank),
         exec::MaxRank("mean", "rstd", "gamma", "gradInput", "gradGammaOut", "gradBetaOut"),
         exec::ShapeIs("input", exec::SameShapeAs("gradOut")),
         exec::Custom("N, C, HxW: the sizes of gradOut, HxW of all axes behind the second", CheckSizes),
         families::ShapeFrom("mean: [N, group]", "mean", GroupsShape),
         families::ShapeFrom("rstd: [N, group]", "rstd", GroupsShape),
         families::ShapeFrom("gamma: [C]", "gamma", ChannelsShape),
         exec::ShapeIs("gradInput", exec::SameShapeAs("input")),
         families::ShapeFrom("gradGammaOut: [C]", "gradGammaOut", ChannelsShape),
         families::ShapeFrom("gradBetaOut: [C]", "gradBetaOut", ChannelsShape)}));

}  // namespace portacl::ops::group_norm
