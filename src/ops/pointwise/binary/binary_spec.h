// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers. They are transcendental
// functions of two operands.
#pragma once

#include "families/binary_schema.h"

namespace portacl::ops::binary {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::SchemaOf kAtan2(
    Binary({.about = {.api = "aclnnAtan2",
                      .library = "opapi_math",
                      .formula = "the angle of the point (other, self), from -pi to pi",
                      .special = "Zeros and infinities as atan2 of C.",
                      .header = "aclnn_atan2.h",
                      .products = kMost},
            .dtypes = kReal,
            .results = kFloats4,
            .errors = kOneRounding}));

inline constexpr Errors kLogAddErrors = {1, 1, 0.51, 1, "the larger of self and other"};
inline constexpr const char* kSpecial = "Two equal infinities give that infinity.";
inline constexpr exec::SchemaOf kLogAddExp(Binary({.about = {.api = "aclnnLogAddExp",
                                                             .library = "opapi_math",
                                                             .formula = "ln(e^self + e^other)",
                                                             .special = kSpecial,
                                                             .header = "aclnn_logaddexp.h",
                                                             .products = kMost},
                                                   .dtypes = kReal | kWideUnsigned,
                                                   .promoted = kReal | kWideUnsigned,
                                                   .results = kFloats3,
                                                   .errors = kLogAddErrors}));
inline constexpr exec::SchemaOf kLogAddExp2(Binary({.about = {.api = "aclnnLogAddExp2",
                                                              .library = "opapi_math",
                                                              .formula = "log2(2^self + 2^other)",
                                                              .special = kSpecial,
                                                              .header = "aclnn_logaddexp2.h",
                                                              .products = kMost},
                                                    .dtypes = kReal | kWideUnsigned,
                                                    .promoted = kReal | kWideUnsigned,
                                                    .results = kFloats3,
                                                    .errors = kLogAddErrors}));

inline constexpr const exec::Schema* kSchemas[] = {&kAtan2, &kLogAddExp, &kLogAddExp2};

}  // namespace portacl::ops::binary
