// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. They are transcendental
// functions of two operands.
#pragma once

#include "families/binary_schema.h"

namespace portacl::ops::binary {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

PORTACL_ROW(Atan2, opapi_math, "aclnn_atan2.h",
            Binary({.about = {.formula = "the angle of the point (other, self), from -pi to pi",
                              .special = "Zeros and infinities behave as in C's atan2.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .results = kFloats4,
                    .errors = kOneRounding}));

inline constexpr Errors kLogAddErrors = {1, 1, 0.51, 1, "the larger of self and other"};
inline constexpr const char* kSpecial = "Two equal infinities give that infinity.";
PORTACL_ROW(LogAddExp, opapi_math, "aclnn_logaddexp.h",
            Binary({.about = {.formula = "ln(e^self + e^other)", .special = kSpecial, .socs = kMost},
                    .dtypes = kReal | kWideUnsigned,
                    .promoted = kReal | kWideUnsigned,
                    .results = kFloats3,
                    .errors = kLogAddErrors}));
PORTACL_ROW(LogAddExp2, opapi_math, "aclnn_logaddexp2.h",
            Binary({.about = {.formula = "log2(2^self + 2^other)", .special = kSpecial, .socs = kMost},
                    .dtypes = kReal | kWideUnsigned,
                    .promoted = kReal | kWideUnsigned,
                    .results = kFloats3,
                    .errors = kLogAddErrors}));

}  // namespace portacl::ops::binary
