// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::triangle {

using exec::Attribute;
using exec::ValueKind;

/// A scalar, or matrices.
aclnnStatus IsNoVector(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kDtypes = families::kReal | families::kWideUnsigned;
inline constexpr const char* kSpecial =
    "All other elements become 0, NaN included. Any diagonal is accepted, also one outside the matrix.";

PORTACL_ROW(
    Tril, opapi_math, "aclnn_tril.h",
    families::Movement({.formula = "out[i, j] = self[i, j] where j <= i + diagonal, else 0, of the last two axes",
                        .special = kSpecial,
                        .socs = families::kNot310P},
                       families::Dtypes({"self"}, kDtypes),
                       {exec::In("self"), Attribute("diagonal", ValueKind::kInt64), exec::Out("out")},
                       {exec::ShapeIs("out", exec::SameShapeAs("self"))}, {.lowest_rank = 2}));

PORTACL_ROW(InplaceTril, opapi_math, "aclnn_tril.h",
            families::Movement({.formula = "selfRef[i, j] = 0 where j > i + diagonal, of the last two axes",
                                .special = kSpecial,
                                .socs = families::kNot310P},
                               families::Dtypes({"selfRef"}, kDtypes),
                               {exec::Const(exec::InOut("selfRef")), Attribute("diagonal", ValueKind::kInt64)},
                               {exec::MaxRank("selfRef")}, {.self = "selfRef", .out = "selfRef", .lowest_rank = 2}));

PORTACL_ROW(
    Triu, opapi_math, "aclnn_triu.h",
    families::Movement({.formula = "out[i, j] = self[i, j] where j >= i + diagonal, else 0, of the last two axes",
                        .special = kSpecial,
                        .socs = families::kMost},
                       families::Dtypes({"self"}, kDtypes),
                       {exec::In("self"), Attribute("diagonal", ValueKind::kInt64), exec::Out("out")},
                       {exec::Custom("self: rank 0, or from 2 to 8", IsNoVector),
                        exec::ShapeIs("out", exec::SameShapeAs("self"))}));

PORTACL_ROW(InplaceTriu, opapi_math, "aclnn_triu.h",
            families::Movement({.formula = "selfRef[i, j] = 0 where j < i + diagonal, of the last two axes",
                                .special = kSpecial,
                                .socs = families::kMost},
                               families::Dtypes({"selfRef"}, kDtypes),
                               {exec::InOut("selfRef"), Attribute("diagonal", ValueKind::kInt64)},
                               {exec::Custom("selfRef: rank 0, or from 2 to 8", IsNoVector)},
                               {.self = "selfRef", .out = "selfRef"}));

}  // namespace portacl::ops::triangle
