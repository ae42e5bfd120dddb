// SPDX-License-Identifier: Apache-2.0
//
// The schema of the operator of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "families/movement.h"

namespace portacl::ops::upsample {

/// The axis of an image's height; that of its width follows.
constexpr int HeightAxis(aclFormat format) { return format == ACL_FORMAT_NHWC ? 1 : 2; }

/// The shape of self with the height and the width of outputSize.
bool ResizedShape(const exec::Arguments& arguments, Shape* shape);

PORTACL_ROW(UpsampleNearest2d, opapi_cv, "aclnn_upsample_nearest_2d.h",
            exec::MakeRecipe(
                {.formula = "self with height and width of outputSize, each element that of its nearest neighbour",
                 .special = "Row i of n comes from row min(floor(i * (H / n)), H - 1) of the H rows of self, with H / "
                            "n and the product in float32; columns likewise.",
                 .accuracy = {exec::Exact("out")},
                 .socs = families::kMost},
                {exec::In("self"), exec::Attribute("outputSize", exec::ValueKind::kIntArray), exec::Out("out")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "outputSize", "out"), exec::OnSocs(),
                 families::Dtypes({"self"}, families::kFloats4 | exec::DtypeSet{ACL_UINT8}),
                 exec::SameDtype("self", "out"), exec::Rank({"self", "out"}, 4, 4),
                 exec::SizeInRange({exec::Length("outputSize")}, 2, 2), exec::ValueAtLeast("outputSize", 1),
                 exec::FormatOneOf({"self", "out"}, {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC}),
                 exec::SizeInRange({exec::Axis("self", 1), exec::Axis("self", 2), exec::Axis("self", 3)}, 1,
                                   std::numeric_limits<int64_t>::max()),
                 families::ShapeFrom("out: shape of self with outputSize as height and width", "out", ResizedShape)}));

}  // namespace portacl::ops::upsample
