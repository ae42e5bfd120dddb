// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnConvolution: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <cstdint>
#include <span>

#include "families/movement.h"
#include "loops/convolutions/convolution.h"

namespace portacl::ops::convolution {

using exec::Attribute;
using exec::ValueKind;

/// The attributes of a call.
struct Numbers {
  std::span<const int64_t> stride;
  std::span<const int64_t> padding;
  std::span<const int64_t> dilation;
  std::span<const int64_t> output_padding;  // empty: 0
  bool transposed = false;
  int64_t groups = 1;
};
/// The convolution for shapes and attributes that pass the checks; false if the image is smaller than the weights.
bool ConvolutionOf(const View& input, const View& weight, const Numbers& numbers,
                   loops::convolutions::Convolution* convolution);

/// outputPadding must be given if transposed requires it.
aclnnStatus CheckOutputPaddingGiven(const exec::Arguments& arguments, const exec::Step& step);
/// output has the common dtype of input and weight.
aclnnStatus CheckCommonDtype(const exec::Arguments& arguments, const exec::Step& step);
/// input, weight and output have the same rank; Ascend310B supports images only, and no transposed convolution.
aclnnStatus CheckRanks(const exec::Arguments& arguments, const exec::Step& step);
/// stride, padding, dilation, outputPadding and groups are in range.
aclnnStatus CheckNumbers(const exec::Arguments& arguments, const exec::Step& step);
/// Channels of input, weight and bias agree; bias has one axis.
aclnnStatus CheckChannels(const exec::Arguments& arguments, const exec::Step& step);
bool OutputShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::SocSet kSocs = exec::SocSet::All().Without({SocFamily::kAscend910});

PORTACL_ROW(
    Convolution, opapi_nn, "aclnn_convolution.h",
    exec::MakeRecipe(
        {.formula = "the convolution of input with weight along all axes but the first two, and bias",
         .special = "Ranks 3, 4 and 5: NCL, NCHW, NCDHW, whatever the format. weight is [C_out, C_in / groups, ...], "
                    "when transposed [C_in, C_out / groups, ...]. padding: one number for each axis, or, along one "
                    "axis or two and not transposed, two for each, in front and behind. cubeMathType has no effect. An "
                    "infinite or NaN weight may make a NaN where it lies beyond the image.",
         .accuracy = {exec::Epsilon("output", {ACL_FLOAT}, 34).OfTerm("the sum of the magnitudes of what is added"),
                      exec::Ulp("output", {ACL_FLOAT16}, 0.51).OfTerm("2^-3 of the same").NearestBut(0.02),
                      exec::Ulp("output", {ACL_BF16}, 0.51).OfTerm("2^-6 of the same").NearestBut(0.02)},
         .socs = kSocs},
        {exec::In("input"), exec::In("weight"), exec::OptionalIn("bias"), Attribute("stride", ValueKind::kIntArray),
         Attribute("padding", ValueKind::kIntArray), Attribute("dilation", ValueKind::kIntArray),
         Attribute("transposed", ValueKind::kBool), exec::OptionalAttribute("outputPadding", ValueKind::kIntArray),
         Attribute("groups", ValueKind::kInt64), exec::Out("output"), Attribute("cubeMathType", ValueKind::kInt8)},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("input", "weight", "stride", "padding", "dilation", "output"),
         exec::Custom("outputPadding: not null when transposed", CheckOutputPaddingGiven).Status(exec::kNullPointer),
         exec::OnSocs(), families::Dtypes({"input", "weight", "bias", "output"}, families::kFloats3),
         exec::Custom("output: the common dtype of input and weight", CheckCommonDtype),
         exec::PlainFormat("input", "weight", "bias", "output"), exec::Rank({"input", "weight", "output"}, 3, 5),
         exec::MaxRank("bias"),
         exec::Custom("input, weight, output: one rank; on Ascend310B 4, and not transposed", CheckRanks),
         exec::Custom("stride, padding, dilation, outputPadding, groups: as many numbers as there are axes, in range",
                      CheckNumbers),
         exec::ValueOneOf("cubeMathType", {0, 1, 2, 3}),
         exec::Custom("weight, bias: channels of input and groups", CheckChannels),
         families::ShapeFrom("output: [N, C_out, ...] with the number of positions of the weights along each axis",
                             "output", OutputShape)}));

}  // namespace portacl::ops::convolution
