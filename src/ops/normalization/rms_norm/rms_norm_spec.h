// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::rms_norm {

using exec::Attribute;
using exec::ValueKind;

/// How many of the last axes of x gamma covers; 0 if it has another shape.
int NormalizedAxes(const View& x, const View& gamma);

/// gamma has the dtype of x, or FLOAT.
aclnnStatus CheckGammaDtype(const exec::Arguments& arguments, const exec::Step& step);
/// gamma has the shape of the last axes of x, the first tensor, at least one; or [1, last axis].
aclnnStatus CheckGammaShape(const exec::Arguments& arguments, const exec::Step& step);
/// rstd has as many elements as x has rows, in any shape.
aclnnStatus CheckRstdCount(const exec::Arguments& arguments, const exec::Step& step);
bool RstdShape(const exec::Arguments& arguments, Shape* shape);
/// rstdOut may be absent if dtypes have 16 bits and gamma is [1, last axis]; only then may xOut be absent, too.
aclnnStatus CheckAbsentOutputs(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr const char* kRstdText =
    "rstdOut: as many elements as x has rows, such as shape of x with 1 for the axes of gamma";
inline constexpr const char* kRstdTerm = "anything where epsilon takes away most of the mean square";
inline constexpr const char* kSpecial =
    "A row with a NaN is NaN; in a row with an infinite element, that element becomes NaN and the others 0. rstdOut is "
    "written in row-major order, whatever its shape.";
inline constexpr const char* kAddSpecial =
    "A row with a NaN is NaN; in a row with an infinite element, that element becomes NaN and the others 0. rstdOut is "
    "written in row-major order, whatever its shape. Where xOut is the same view as yOut, it holds yOut afterwards.";

PORTACL_ROW(
    RmsNorm, opapi_nn, "aclnn_rms_norm.h",
    exec::MakeRecipe(
        {.formula = "yOut = x * rstd * gamma, rstd = 1 / sqrt(mean of x^2 over the axes of gamma + epsilon)",
         .special = kSpecial,
         .accuracy = {exec::Ulp("yOut", {ACL_FLOAT}, 3).OfTerm("2^-126 |gamma|"),
                      exec::Ulp("yOut", families::kNarrow, 0.51).OfTerm("2^-126 |gamma|"),
                      exec::Ulp("rstdOut", {ACL_FLOAT}, 0.51).OfTerm(kRstdTerm)},
         .socs = families::kNot910},
        {exec::In("x"), exec::In("gamma"), Attribute("epsilon", ValueKind::kDouble), exec::Const(exec::Out("yOut")),
         exec::Const(exec::Out("rstdOut"))},
        {exec::NotNull("x", "gamma", "yOut", "rstdOut"), exec::NotNull("workspaceSize", "executor"), exec::OnSocs(),
         families::Dtypes({"x"}, families::kFloats3), families::Dtypes({"gamma"}, families::kFloats3),
         exec::Custom("gamma: dtype of x, or FLOAT", CheckGammaDtype), exec::SameDtype("x", "yOut"),
         exec::DtypeOneOf({"rstdOut"}, {ACL_FLOAT}), exec::PlainFormat("x", "gamma", "yOut", "rstdOut"),
         exec::Rank({"x", "gamma"}, 1, kMaxRank), exec::MaxRank("yOut", "rstdOut"),
         exec::Custom("gamma: the last axes of x", CheckGammaShape), exec::ShapeIs("yOut", exec::SameShapeAs("x")),
         exec::Custom(kRstdText, CheckRstdCount).Accepts("rstdOut", RstdShape)}));

PORTACL_ROW(
    AddRmsNorm, opapi_nn, "aclnn_add_rms_norm.h",
    exec::MakeRecipe({.formula = "xOut = x1 + x2; yOut = x * rstd * gamma, rstd = 1 / sqrt(mean of x^2 over the axes "
                                 "of gamma + epsilon), x being the float32 sum of x1 and x2",
                      .special = kAddSpecial,
                      .accuracy = {exec::Ulp("yOut", {ACL_FLOAT}, 3).OfTerm("2^-126 |gamma|"),
                                   exec::Ulp("yOut", families::kNarrow, 0.51).OfTerm("2^-126 |gamma|"),
                                   exec::Ulp("rstdOut", {ACL_FLOAT}, 0.51).OfTerm(kRstdTerm),
                                   exec::Ulp("xOut", families::kFloats3, 0.51)},
                      .socs = families::kNot910},
                     {exec::In("x1"), exec::In("x2"), exec::In("gamma"), Attribute("epsilon", ValueKind::kDouble),
                      exec::Out("yOut"), exec::OptionalOut("rstdOut"), exec::OptionalOut("xOut")},
                     {exec::NotNull("workspaceSize", "executor"), exec::NotNull("x1", "x2", "gamma", "yOut"),
                      exec::Custom("rstdOut, xOut: not NULL, but where dtypes have 16 bits and gamma is [1, last axis]",
                                   CheckAbsentOutputs)
                          .Status(exec::kNullPointer),
                      exec::OnSocs(), families::Dtypes({"x1"}, families::kFloats3),
                      exec::SameDtype("x1", "x2", "gamma", "yOut", "xOut"), exec::DtypeOneOf({"rstdOut"}, {ACL_FLOAT}),
                      exec::PlainFormat("x1", "x2", "gamma", "yOut", "rstdOut", "xOut"),
                      exec::Rank({"x1", "gamma"}, 1, kMaxRank), exec::MaxRank("x2", "yOut", "rstdOut", "xOut"),
                      exec::ValueAtLeast("epsilon", 0), exec::ShapeIs("x2", exec::SameShapeAs("x1")),
                      exec::Custom("gamma: the last axes of x1, or [1, last axis]", CheckGammaShape),
                      exec::ShapeIs("yOut", exec::SameShapeAs("x1")),
                      exec::Custom(kRstdText, CheckRstdCount).Accepts("rstdOut", RstdShape),
                      exec::ShapeIs("xOut", exec::SameShapeAs("x1"))}));

inline constexpr const char* kGradientTerm =
    "|rstd| times the row's largest |d| or |h| mean |d h|, d = dy gamma; 2^-4 of it in 16 bits";

PORTACL_ROW(
    RmsNormGrad, opapi_nn, "aclnn_rms_norm_grad.h",
    exec::MakeRecipe(
        {.formula = "with h = x * rstd: dxOut = rstd * (dy * gamma - h * mean(dy * gamma * h)), dgammaOut = the sum "
                    "over rows of dy * h",
         .accuracy = {exec::Ulp("dxOut", {ACL_FLOAT}, 4).OfTerm(kGradientTerm),
                      exec::Ulp("dxOut", families::kNarrow, 0.51).OfTerm(kGradientTerm),
                      exec::Ulp("dgammaOut", {ACL_FLOAT}, 4).OfTerm("the sum over rows of |dy h|")},
         .socs = families::kNot910},
        {exec::In("dy"), exec::In("x"), exec::In("rstd"), exec::In("gamma"), exec::Const(exec::Out("dxOut")),
         exec::Const(exec::Out("dgammaOut"))},
        {exec::NotNull("dy", "x", "rstd", "gamma", "dxOut", "dgammaOut"), exec::NotNull("workspaceSize", "executor"),
         exec::OnSocs(), families::Dtypes({"dy"}, families::kFloats3), exec::SameDtype("dy", "x", "dxOut"),
         exec::DtypeOneOf({"rstd"}, {ACL_FLOAT}), families::Dtypes({"gamma"}, families::kFloats3),
         exec::Custom("gamma: dtype of x, or FLOAT", CheckGammaDtype), exec::DtypeOneOf({"dgammaOut"}, {ACL_FLOAT}),
         exec::PlainFormat("dy", "x", "rstd", "gamma", "dxOut", "dgammaOut"), exec::Rank({"dy", "x"}, 2, kMaxRank),
         exec::Rank({"gamma"}, 1, kMaxRank), exec::MaxRank("rstd", "dxOut", "dgammaOut"),
         exec::ShapeIs("x", exec::SameShapeAs("dy")), exec::Custom("gamma: the last axes of x", CheckGammaShape),
         exec::Custom("rstd: as many elements as x has rows, such as shape of x with 1 for the axes of gamma",
                      CheckRstdCount)
             .Accepts("rstd", RstdShape),
         exec::ShapeIs("dxOut", exec::SameShapeAs("x")), exec::ShapeIs("dgammaOut", exec::SameShapeAs("gamma"))}));

}  // namespace portacl::ops::rms_norm
