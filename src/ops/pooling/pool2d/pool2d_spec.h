// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <cstdint>
#include <span>

#include "families/movement.h"
#include "loops/windows/windows.h"

namespace portacl::ops::pool2d {

using exec::Attribute;
using exec::ValueKind;

/// The arrays and the mode of a call.
struct Numbers {
  std::span<const int64_t> kernel;
  std::span<const int64_t> strides;
  std::span<const int64_t> paddings;
  bool ceil = false;
};
/// The windows over the last two axes of self, for attributes that pass the checks; false if the window does not fit
/// along an axis.
bool WindowsOf(const View& self, const Numbers& numbers, bool is_mean, loops::windows::Pooling* pooling);

/// Height and width are not 0; kernelSize and paddings have one or two values, strides may also be empty; all are in
/// range.
aclnnStatus CheckAvgNumbers(const exec::Arguments& arguments, const exec::Step& step);
/// The same for kernelShape, strides, pads and dilations.
aclnnStatus CheckMaxNumbers(const exec::Arguments& arguments, const exec::Step& step);
bool AvgShape(const exec::Arguments& arguments, Shape* shape);
bool MaxShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kLargestDtypes = families::kFloats3 | families::kIntegers;

PORTACL_ROW(
    AvgPool2d, opapi_nn, "aclnn_avgpool2d.h",
    exec::MakeRecipe(
        {.formula = "the mean of self in each window over the last two axes",
         .special = "Sums are divided by divisorOverride, or where it is 0 by the number of elements in the window: "
                    "with countIncludePad those of the padding, too. With ceilMode a last window may begin in the "
                    "image and reach beyond its padding, where nothing is counted. strides without numbers are those "
                    "of kernelSize. cubeMathType has no effect.",
         .accuracy = {exec::Ulp("out", families::kFloats3, 0.51).OfTerm("2^-16 of the quotient of the magnitudes")},
         .socs = families::kMost},
        {exec::In("self"), Attribute("kernelSize", ValueKind::kIntArray), Attribute("strides", ValueKind::kIntArray),
         Attribute("paddings", ValueKind::kIntArray), Attribute("ceilMode", ValueKind::kBool),
         Attribute("countIncludePad", ValueKind::kBool), Attribute("divisorOverride", ValueKind::kInt64),
         Attribute("cubeMathType", ValueKind::kInt8), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "kernelSize", "strides", "paddings", "out"),
         exec::OnSocs(), families::Dtypes({"self"}, families::kFloats3), exec::SameDtype("self", "out"),
         exec::FormatOneOf({"self", "out"}, {ACL_FORMAT_NCHW, ACL_FORMAT_NCL}), exec::Rank({"self", "out"}, 3, 4),
         exec::Custom("kernelSize, strides, paddings: one number or two, positive; paddings at most half of kernelSize",
                      CheckAvgNumbers),
         families::ShapeFrom("out: shape of self with the number of window positions for height and width", "out",
                             AvgShape),
         exec::EmptySucceeds("out")}));

PORTACL_ROW(
    MaxPool, opapi_nn, "aclnn_max_pool.h",
    exec::MakeRecipe(
        {.formula = "the largest element of self in each window over the last two axes",
         .special = "A NaN is larger than all numbers. A zero is +0. Padding counts as -inf, the lowest value of "
                    "integers. pads: one number, those of height and width, or those of top, left, bottom and right; "
                    "without numbers 0. strides without numbers are 1.",
         .accuracy = {exec::Exact("out")},
         .socs = families::kNot310P},
        {exec::In("self"), Attribute("kernelShape", ValueKind::kIntArray), Attribute("strides", ValueKind::kIntArray),
         Attribute("autoPad", ValueKind::kInt64), Attribute("pads", ValueKind::kIntArray),
         Attribute("dilations", ValueKind::kIntArray), Attribute("ceilMode", ValueKind::kInt64), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("self", "kernelShape", "strides", "pads", "dilations", "out"), exec::OnSocs(),
         families::Dtypes({"self"}, kLargestDtypes), exec::SameDtype("self", "out"), exec::PlainFormat("self", "out"),
         exec::Rank({"self", "out"}, 3, 4), exec::AttributeIs("autoPad", 0), exec::ValueOneOf("ceilMode", {0, 1}),
         exec::Custom("kernelShape, strides, pads, dilations: as many numbers as they may have, in range; dilations 1, "
                      "pads of an axis at most kernelShape together",
                      CheckMaxNumbers),
         families::ShapeFrom("out: shape of self with the number of window positions for height and width", "out",
                             MaxShape),
         exec::EmptySucceeds("out")}));

}  // namespace portacl::ops::pool2d
