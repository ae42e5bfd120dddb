// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnRotaryPositionEmbedding: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::rotary_position_embedding {

enum Mode : int64_t { kHalf, kInterleave, kQuarter, kInterleaveHalf };

inline constexpr int64_t kMostColumns = 1024;

/// The last axis of x is even; in mode 2 it is a multiple of 4.
aclnnStatus CheckColumns(const exec::Arguments& arguments, const exec::Step& step);

PORTACL_ROW(RotaryPositionEmbedding, opapi_transformer, "aclnn_rotary_position_embedding.h",
            exec::MakeRecipe(
                {.formula = "x * cos + rotate(x) * sin along the last axis of D elements. rotate(x) is in mode 0 "
                            "the negated second half, then the first; in mode 1 -x1, x0, -x3, x2, ...; in mode 2 "
                            "the quarters -q2, q1, -q4, q3. In mode 3 the elements with even numbers and then "
                            "those with odd ones take the place of x, and the rest is as in mode 0",
                 .special = "cos and sin are broadcast along every axis but the last.",
                 .accuracy = {exec::Ulp("yOut", {ACL_FLOAT}, 1.1).WithoutFusion(1.6).OfTerm("the larger product"),
                              exec::Ulp("yOut", families::kNarrow, 0.51).OfTerm("2^-16 of the larger product")},
                 .socs = families::kNewer},
                {exec::In("x"), exec::In("cos"), exec::In("sin"), exec::Attribute("mode", exec::ValueKind::kInt64),
                 exec::Const(exec::Out("yOut"))},
                {exec::NotNull("x", "cos", "sin", "yOut"), exec::NotNull("executor", "workspaceSize"), exec::OnSocs(),
                 families::Dtypes({"x"}, families::kFloats3), exec::SameDtype("x", "cos", "sin", "yOut"),
                 exec::PlainFormat("x", "cos", "sin", "yOut"), exec::Rank({"x", "cos", "sin", "yOut"}, 4, 4),
                 exec::ValueOneOf("mode", {kHalf, kInterleave, kQuarter, kInterleaveHalf}),
                 exec::SizeInRange({exec::Axis("x", -1)}, 0, kMostColumns),
                 exec::Custom("x: last axis even, in mode 2 a multiple of 4", CheckColumns),
                 exec::SameSize({exec::Axis("x", -1), exec::Axis("cos", -1)}),
                 exec::SameSizeOrOne({exec::Axis("x", 0), exec::Axis("cos", 0)}),
                 exec::SameSizeOrOne({exec::Axis("x", 1), exec::Axis("cos", 1)}),
                 exec::SameSizeOrOne({exec::Axis("x", 2), exec::Axis("cos", 2)}),
                 exec::ShapeIs("sin", exec::SameShapeAs("cos")), exec::ShapeIs("yOut", exec::SameShapeAs("x")),
                 exec::EmptySucceeds("x")}));

}  // namespace portacl::ops::rotary_position_embedding
