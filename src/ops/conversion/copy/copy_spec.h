// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"
#include "families/list_schema.h"

namespace portacl::ops::copy {

consteval exec::Step IsNumber(exec::Ref operand) { return families::Dtypes({operand}, families::kAll); }

PORTACL_ROW(
    InplaceCopy, opapi_math, "aclnn_copy.h",
    exec::MakeRecipe(
        {.formula = "selfRef = src, broadcast and converted",
         .special = "What an element becomes:\n"
                    "  same dtype            its bits, those of a NaN and bytes of BOOL other than 0 and 1 included\n"
                    "  float to float        rounded once from src, to nearest even; overflow is +-inf, zero keeps its "
                    "sign, NaN is NaN\n"
                    "  float to integer      truncated; beyond the range the nearest limit; NaN is 0. INT8, UINT8 and "
                    "INT16 are the low\n"
                    "                        bits of what INT32 would be: 300 is 44 in UINT8, 200 is -56 in INT8\n"
                    "  integer to integer    modulo 2^n\n"
                    "  integer to float      rounded once, to nearest even\n"
                    "  anything to BOOL      1 where it is not zero (NaN is not, -0 is; of a complex number either "
                    "part), else 0\n"
                    "  BOOL to anything      1 for any byte that is not 0, else 0\n"
                    "  complex to others     the real part by the rules above; to complex each part\n"
                    "  others to complex     the imaginary part is 0\n"
                    "Results below the smallest normal number of their dtype are subnormals. src may be selfRef, when "
                    "nothing happens, or overlap it: the result is that of separate memory. Values out of the range of "
                    "INT32 and of wider or unsigned integers are decided here, as the pages of aclnnInplaceCopy and "
                    "aclnnCast leave them open.",
         .accuracy = {exec::RoundedOnce("selfRef")}},
        {exec::OnlyWritten(exec::InOut("selfRef")), exec::In("src")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("selfRef", "src"), IsNumber("selfRef"),
         IsNumber("src"), exec::PlainFormat("selfRef", "src"), exec::MaxRank("selfRef", "src"),
         exec::ShapeIs("src", exec::BroadcastsTo("selfRef")), exec::EmptySucceeds("selfRef")}));

PORTACL_ROW(
    Cast, opapi_math, "aclnn_cast.h",
    exec::MakeRecipe(
        {.formula = "out = self, converted to dtype",
         .special =
             "Elements become what they become by aclnnInplaceCopy (aclnnop/aclnn_copy.h): floats are rounded once, to "
             "nearest even; become integers by truncation, limited to their range, NaN to 0; INT8, UINT8 and INT16 "
             "keep the low bits of what INT32 would be (300 is 44 in UINT8); integers become narrower ones modulo 2^n; "
             "BOOL is 1 for what is not zero; complex numbers become real by their real part. Results below the "
             "smallest normal number of their dtype are subnormals. Values out of the range of INT32 and of wider or "
             "unsigned integers are decided here, as the operator's page leaves them open.",
         .accuracy = {exec::RoundedOnce("out")},
         .socs = families::kMost},
        {exec::In("self"), exec::Attribute("dtype", exec::ValueKind::kDtype), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnSocs(), IsNumber("self"),
         IsNumber("dtype"), exec::SameDtype("dtype", "out"), exec::PlainFormat("self", "out"),
         exec::MaxRank("self", "out"), exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")}));

inline constexpr exec::DtypeSet kForeachCopied = families::kReal | exec::DtypeSet{ACL_UINT16, ACL_UINT32};
PORTACL_ROW(ForeachCopy, opapi_nn, "aclnn_foreach_copy.h",
            families::ForeachUnary({.formula = "out = x, converted, tensor by tensor",
                                    .special = "Elements become what they become by aclnnInplaceCopy.",
                                    .dtypes = kForeachCopied,
                                    .results = kForeachCopied,
                                    .accuracy = {exec::RoundedOnce("out")}}));

}  // namespace portacl::ops::copy
