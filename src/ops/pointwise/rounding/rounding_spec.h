// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/list_schema.h"

namespace portacl::ops::rounding {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr int64_t kModes = 7;
// Whether roundMode, a scalar, is one of them.
aclnnStatus CheckMode(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr const char* kModesText =
    "roundMode 1: the nearest whole number, of two the even one; 2: rounded down; 3: rounded up; 4: the nearest, of "
    "two "
    "that away from 0; 5: toward 0; 6: the nearest, of two the odd one; 7: x without its whole part. Integers are "
    "copied.";
PORTACL_ROW(ForeachRoundOffNumber, opapi_nn, "aclnn_foreach_round_off_number.h",
            Foreach({.formula = "x rounded by roundMode",
                     .special = kModesText,
                     .dtypes = kFloats3 | kIntegers,
                     .scalar = {ACL_INT8}},
                    false, exec::InList("x"), exec::In("roundMode"), kConstOuts));
PORTACL_ROW(ForeachRoundOffNumberV2, opapi_nn, "aclnn_foreach_round_off_number_v2.h",
            Foreach({.formula = "x rounded by roundMode",
                     .special = kModesText,
                     .dtypes = kFloats3 | kIntegers,
                     .rule = exec::Custom("roundMode: 1 to 7", CheckMode)},
                    false, exec::InList("x"), exec::Scalar("roundMode"), exec::OutList("out")));

}  // namespace portacl::ops::rounding
