// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. All overwrite their operand.
#pragma once

#include <limits>

#include "families/list_schema.h"
#include "families/movement.h"

namespace portacl::ops::fill {

/// value has one element.
aclnnStatus IsOneElement(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kMaskedDtypes =
    families::kFloats3 | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64} | families::kBool;
inline constexpr families::Moved kSelf = {.self = "selfRef", .out = "selfRef"};
inline constexpr const char* kSpecial =
    "The value is rounded once to floating types; for integers it is truncated and wraps modulo 2^n, infinities and "
    "NaN become 0.";

PORTACL_ROW(InplaceFillScalar, opapi_math, "aclnn_fill_scalar.h",
            families::Movement({.formula = "selfRef = value", .special = kSpecial, .socs = families::kMost},
                               families::Dtypes({"selfRef"}, families::kAll),
                               {exec::OnlyWritten(exec::InOut("selfRef")), exec::Scalar("value")},
                               {families::ValueIsNumber(), exec::EmptySucceeds("selfRef")}, kSelf));

PORTACL_ROW(InplaceZero, opapi_math, "aclnn_zero.h",
            families::Movement({.formula = "selfRef = 0", .socs = families::kMost},
                               families::Dtypes({"selfRef"}, families::kAll),
                               {exec::OnlyWritten(exec::InOut("selfRef"))}, {exec::EmptySucceeds("selfRef")}, kSelf));

PORTACL_ROW(InplaceOne, opapi_math, "aclnn_ones.h",
            families::Movement({.formula = "selfRef = 1", .socs = families::kMost},
                               families::Dtypes({"selfRef"}, families::kReal),
                               {exec::OnlyWritten(exec::Const(exec::InOut("selfRef")))},
                               {exec::EmptySucceeds("selfRef")}, kSelf));

PORTACL_ROW(InplaceMaskedFillScalar, opapi_math, "aclnn_masked_fill_scalar.h",
            families::Movement({.formula = "selfRef = value where mask", .special = kSpecial, .socs = families::kMost},
                               families::Dtypes({"selfRef"}, kMaskedDtypes),
                               {exec::InOut("selfRef"), exec::In("mask"), exec::Scalar("value")},
                               {exec::DtypeOneOf({"mask"}, families::kBool), exec::PlainFormat("mask"),
                                exec::MaxRank("mask"), families::ValueIsNumber(),
                                exec::ShapeIs("mask", exec::BroadcastsTo("selfRef")), exec::EmptySucceeds("selfRef")},
                               kSelf));

PORTACL_ROW(InplaceMaskedFillTensor, opapi_math, "aclnn_masked_fill_tensor.h",
            families::Movement({.formula = "selfRef = value where mask",
                                .special = "A value of another dtype is converted as by aclnnInplaceCopy.",
                                .socs = families::kMost},
                               families::Dtypes({"selfRef"}, kMaskedDtypes),
                               {exec::InOut("selfRef"), exec::In("mask"), exec::In("value")},
                               {exec::DtypeOneOf({"mask"}, families::kBool),
                                families::Dtypes({"value"}, families::kAll), exec::StoresTo({"value"}, "selfRef"),
                                exec::PlainFormat("mask", "value"), exec::MaxRank("mask", "value"),
                                exec::ShapeIs("mask", exec::BroadcastsTo("selfRef")),
                                exec::Custom("value: one element", IsOneElement)},
                               kSelf));

PORTACL_ROW(ForeachZeroInplace, opapi_nn, "aclnn_foreach_zero_inplace.h",
            exec::MakeRecipe(
                {.formula = "0", .accuracy = {exec::Exact("x")}, .socs = families::kNewer},
                {exec::OnlyWritten(exec::Const(families::InOutList("x")))},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("x"), exec::OnSocs(),
                 families::Dtypes({"x"}, families::kReal), exec::SameDtype("x"), exec::PlainFormat("x"),
                 exec::MaxRank("x"),
                 exec::SizeInRange({exec::Length("x")}, 1, std::numeric_limits<int64_t>::max()).Status(exec::kNoPlan),
                 exec::SameSize({exec::Length("x")}).Status(exec::kNoPlan)}));

}  // namespace portacl::ops::fill
