// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::pad {

using exec::Attribute;
using exec::ValueKind;

/// pad consists of pairs, at most one for each axis of self.
aclnnStatus PadHasPairs(const exec::Arguments& arguments, const exec::Step& step);
/// Checks the axes after padding: none has a negative size, and none is padded from empty to empty.
aclnnStatus PadLeavesSizes(const exec::Arguments& arguments, const exec::Step& step);
bool PaddedShape(const exec::Arguments& arguments, Shape* shape);
/// padding has two values, both at least 0 and smaller than the axis.
aclnnStatus PaddingIsShorter(const exec::Arguments& arguments, const exec::Step& step);
bool ReflectedShape(const exec::Arguments& arguments, Shape* shape);

PORTACL_ROW(
    ConstantPadNd, opapi_math, "aclnn_constant_pad_nd.h",
    families::Movement(
        {.formula =
             "self with value around it; pad has (begin, end) of the axes, from the last one on; negative ones crop",
         .socs = families::kMost},
        families::Dtypes({"self"}, families::kAll),
        {exec::In("self"), Attribute("pad", ValueKind::kIntArray), exec::Scalar("value"), exec::Out("out")},
        {families::ValueIsNumber(), exec::Custom("pad: pairs, at most one for each axis", PadHasPairs),
         exec::Custom("pad: crops no axis by more than it has", PadLeavesSizes),
         families::ShapeFrom("out: each axis of self longer by its pair", "out", PaddedShape)}));

PORTACL_ROW(
    ReflectionPad1d, opapi_math, "aclnn_reflection_pad1d.h",
    families::Movement(
        {.formula = "self, and beyond each end of its last axis its mirror image without the element at the edge",
         .socs = families::kMost},
        families::Dtypes({"self"}, families::kReal | families::kComplex),
        {exec::In("self"), Attribute("padding", ValueKind::kIntArray), exec::Out("out")},
        {exec::Custom("padding: two numbers from 0 to less than the last axis has elements", PaddingIsShorter),
         exec::SizeInRange({exec::Axis("self", -2), exec::Axis("self", -1)}, 1, std::numeric_limits<int64_t>::max()),
         families::ShapeFrom("out: the last axis of self longer by both numbers", "out", ReflectedShape)},
        {.lowest_rank = 2, .highest_rank = 3}));

}  // namespace portacl::ops::pad
