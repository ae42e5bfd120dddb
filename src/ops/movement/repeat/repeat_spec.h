// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/scatter_schema.h"

namespace portacl::ops::repeat {

using exec::Attribute;
using exec::ValueKind;

/// At least as many repeats as self has axes, none of them negative.
aclnnStatus RepeatsOfAxes(const exec::Arguments& arguments, const exec::Step& step);
bool RepeatShape(const exec::Arguments& arguments, Shape* shape);
/// outputSize is the size that the repeats give the axis, or the flattened tensor.
aclnnStatus OutputSizeIsProduct(const exec::Arguments& arguments, const exec::Step& step);
/// A tensor of repeats has one element, or one per index along dim, or one per element.
aclnnStatus RepeatsFit(const exec::Arguments& arguments, const exec::Step& step);
/// outputSize elements along dim; without dim, all in one axis.
bool InterleavedShape(const exec::Arguments& arguments, Shape* shape);
/// outputSize elements.
bool NumbersShape(const exec::Arguments& arguments, Shape* shape);
/// repeats are not empty, which has a status of its own.
aclnnStatus HasRepeats(const exec::Arguments& arguments, const exec::Step& step);
/// out has a row for each of repeats, or any number of them if there is but one.
aclnnStatus RunsFit(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kDtypes = families::kFloats3 | families::kIntegers | families::kBool;

PORTACL_ROW(Repeat, opapi_math, "aclnn_repeat.h",
            families::Movement({.formula = "self repeats[i] times along axis i; axes that self lacks come first",
                                .socs = families::kMost},
                               families::Dtypes({"self"}, families::kAll),
                               {exec::In("self"), Attribute("repeats", ValueKind::kIntArray), exec::Out("out")},
                               {exec::Custom("repeats: as many as self has axes, or up to 8, none of them negative",
                                             RepeatsOfAxes),
                                families::ShapeFrom("out: sizes of self times repeats", "out", RepeatShape)}));

PORTACL_ROW(
    RepeatInterleaveIntWithDim, opapi_nn, "aclnn_repeat_interleave.h",
    families::Movement({.formula = "each element of self along dim repeats times",
                        .source = "aclnnRepeatInterleave page of the CANN operator documentation",
                        .socs = families::kNewer},
                       families::Dtypes({"self"}, kDtypes),
                       {exec::In("self"), Attribute("repeats", ValueKind::kInt64), Attribute("dim", ValueKind::kInt64),
                        Attribute("outputSize", ValueKind::kInt64), exec::Out("out")},
                       {exec::ValueAtLeast("repeats", 0), exec::DimInRange("dim", "self"),
                        exec::Custom("outputSize: repeats times the size along dim", OutputSizeIsProduct),
                        families::ShapeFrom("out: shape of self with outputSize along dim", "out", InterleavedShape)},
                       {.lowest_rank = 1}));

PORTACL_ROW(RepeatInterleaveInt, opapi_nn, "aclnn_repeat_interleave.h",
            families::Movement({.formula = "each element of self repeats times, in one axis",
                                .source = "aclnnRepeatInterleave page of the CANN operator documentation",
                                .socs = families::kNewer},
                               families::Dtypes({"self"}, kDtypes),
                               {exec::In("self"), Attribute("repeats", ValueKind::kInt64),
                                Attribute("outputSize", ValueKind::kInt64), exec::Out("out")},
                               {exec::ValueAtLeast("repeats", 0),
                                exec::Custom("outputSize: repeats times the elements of self", OutputSizeIsProduct),
                                families::ShapeFrom("out: outputSize elements in one axis", "out", InterleavedShape)}));

inline constexpr const char* kRepeatsSpecial =
    "repeats are tested when the call runs: where one is negative, or their sum is not outputSize, nothing is written "
    "and the stream reports 507015.";

PORTACL_ROW(
    RepeatInterleaveWithDim, opapi_nn, "aclnn_repeat_interleave.h",
    families::Movement(
        {.formula = "element i of self along dim repeats[i] times, or each as often as the one element of repeats says",
         .source = "aclnnRepeatInterleave page of the CANN operator documentation",
         .special = kRepeatsSpecial,
         .socs = families::kNewer},
        families::Dtypes({"self"}, kDtypes),
        {exec::In("self"), exec::In("repeats"), Attribute("dim", ValueKind::kInt64),
         Attribute("outputSize", ValueKind::kInt64), exec::Out("out")},
        {exec::DtypeOneOf({"repeats"}, {ACL_INT64}), exec::DimInRange("dim", "self"),
         exec::Custom("repeats: one element, or one for each of self along dim", RepeatsFit),
         families::ShapeFrom("out: shape of self with outputSize along dim", "out", InterleavedShape)},
        {.index = "repeats", .lowest_rank = 1}));

PORTACL_ROW(
    RepeatInterleave, opapi_nn, "aclnn_repeat_interleave.h",
    families::Movement(
        {.formula =
             "element i of self repeats[i] times, or each as often as the one element of repeats says, in one axis",
         .special = kRepeatsSpecial,
         .socs = families::kNewer},
        families::Dtypes({"self"}, kDtypes),
        {exec::In("self"), exec::In("repeats"), Attribute("outputSize", ValueKind::kInt64), exec::Out("out")},
        {exec::DtypeOneOf({"repeats"}, {ACL_INT64}),
         exec::Custom("repeats: one element, or one for each of self", RepeatsFit),
         families::ShapeFrom("out: outputSize elements in one axis", "out", InterleavedShape)},
        {.index = "repeats"}));

PORTACL_ROW(RepeatInterleaveTensor, opapi_nn, "aclnn_repeat_interleave.h",
            families::Movement({.formula = "the number of each element of repeats, as often as it says",
                                .source = "aclnnRepeatInterleave page of the CANN operator documentation",
                                .special = kRepeatsSpecial,
                                .socs = families::kNewer},
                               exec::DtypeOneOf({"repeats"}, {ACL_INT64, ACL_INT32}),
                               {exec::In("repeats"), Attribute("outputSize", ValueKind::kInt64), exec::Out("out")},
                               {families::ShapeFrom("out: outputSize elements", "out", NumbersShape)},
                               {.self = "repeats", .lowest_rank = 1, .highest_rank = 1}));

PORTACL_ROW(
    RepeatInterleaveGrad, opapi_nn, "aclnn_repeat_interleave_grad.h",
    families::Movement(
        {.formula = "element i along axis is the sum of the next repeats[i] elements of yGrad, 0 if there are none",
         .special = "A single element of repeats holds for all i. Sums are computed in float64 in the order of the "
                    "elements, and rounded once. out may have any shape with as many elements. Where one of "
                    "repeats is negative, or their sum is not the size along axis, which is found when the call "
                    "runs, nothing is written and the stream reports 507015.",
         .accuracy = families::CombinedAccuracy("out", families::kFloats3),
         .socs = families::kNewer},
        families::Dtypes({"yGrad"}, families::kFloats3),
        {exec::In("yGrad"), exec::In("repeats"), Attribute("axis", ValueKind::kInt64), exec::Const(exec::Out("out"))},
        {exec::DimInRange("axis", "yGrad"), exec::Custom("repeats: at least one", HasRepeats).Status(exec::kNoPlan),
         exec::Custom("out: an element for each sum", RunsFit)},
        {.self = "yGrad", .index = "repeats"}));

}  // namespace portacl::ops::repeat
