// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/pointwise_schema.h"

namespace portacl::ops::unary {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNegated = kFloats4 | kComplex | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64};

inline constexpr exec::SchemaOf kAbs(
    Unary({.about = {.api = "aclnnAbs",
                     .library = "opapi_math",
                     .formula = "|self|",
                     .special = "The least integer stays itself; -0 gives +0. Of complex "
                                "numbers it is the modulus.",
                     .header = "aclnn_abs.h",
                     .products = kMost},
           .dtypes = kReal | exec::DtypeSet{ACL_COMPLEX64},
           .results = kReal,
           .gives_parts = true}));

inline constexpr UnaryRow kNegRow = {.about = {.api = "aclnnNeg",
                                               .library = "opapi_math",
                                               .formula = "-self",
                                               .special = "Integers count modulo 2^n.",
                                               .header = "aclnn_neg.h",
                                               .products = kAllBut310P},
                                     .dtypes = kNegated,
                                     .results = kCastable};
inline constexpr exec::SchemaOf kNeg(Unary(kNegRow));
inline constexpr exec::SchemaOf kInplaceNeg(InplaceUnary(kNegRow.Inplace("aclnnInplaceNeg", kNegated)));

inline constexpr exec::SchemaOf kSign(
    Unary({.about = {.api = "aclnnSign",
                     .library = "opapi_math",
                     .formula = "1 where self > 0, -1 where self < 0, else 0",
                     .special = "NaN and both zeros give +0. Complex numbers are divided by "
                                "their moduli, 0 gives 0.",
                     .header = "aclnn_sign.h",
                     .products = kNewer},
           .dtypes = kFloats4 | kComplex | exec::DtypeSet{ACL_INT32, ACL_INT64, ACL_BOOL},
           .errors = kExact.OfComplex(0.51, 2),
           .out = "result"}));

inline constexpr UnaryRow kSqrtRow = {.about = {.api = "aclnnSqrt",
                                                .library = "opapi_math",
                                                .formula = "the square root of self",
                                                .special = "-0 gives -0, what is less gives NaN. Of two complex roots "
                                                           "that with the real part >= 0.",
                                                .header = "aclnn_sqrt.h",
                                                .products = kNot310P},
                                      .dtypes = kReal | kComplex,
                                      .results = kFloats4 | kComplex,
                                      .errors = kOneRounding.OfComplex(0.51, 4)};
inline constexpr exec::SchemaOf kSqrt(Unary(kSqrtRow));
inline constexpr exec::SchemaOf kInplaceSqrt(InplaceUnary(kSqrtRow.Inplace("aclnnInplaceSqrt", kFloats4 | kComplex,
                                                                           "self")));

inline constexpr UnaryRow kExpRow = {.about = {.api = "aclnnExp",
                                               .library = "opapi_math",
                                               .formula = "e^self",
                                               .header = "aclnn_exp.h",
                                               .products = kNewer},
                                     .dtypes = kFloats4 | kComplex | exec::DtypeSet{ACL_BOOL, ACL_INT64},
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 4)};
inline constexpr exec::SchemaOf kExp(Unary(kExpRow));
inline constexpr exec::SchemaOf kInplaceExp(InplaceUnary(kExpRow.Inplace("aclnnInplaceExp", kFloats4 | kComplex)));

inline constexpr UnaryRow kLogRow = {
    .about = {.api = "aclnnLog",
              .library = "opapi_math",
              .formula = "ln self",
              .special = "0 gives -inf, what is less gives NaN. Of complex numbers the "
                         "imaginary part lies in [-pi, pi].",
              .header = "aclnn_log.h",
              .products = kNewer},
    .dtypes = kReal | kComplex,
    .results = kFloats4 | kComplex,
    .errors = kTranscendental.OfComplex(2, 4)};
inline constexpr exec::SchemaOf kLog(Unary(kLogRow));
inline constexpr exec::SchemaOf kInplaceLog(InplaceUnary(kLogRow.Inplace("aclnnInplaceLog", kFloats4 | kComplex)));

inline constexpr UnaryRow kSinRow = {.about = {.api = "aclnnSin",
                                               .library = "opapi_math",
                                               .formula = "sin self, for every finite number",
                                               .special = "Infinities give NaN.",
                                               .header = "aclnn_sin.h",
                                               .products = kMost},
                                     .dtypes = kReal | kComplex,
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 4)};
inline constexpr exec::SchemaOf kSin(Unary(kSinRow));
inline constexpr exec::SchemaOf kInplaceSin(InplaceUnary(kSinRow.Inplace("aclnnInplaceSin", kFloats3)));

inline constexpr UnaryRow kCosRow = {.about = {.api = "aclnnCos",
                                               .library = "opapi_math",
                                               .formula = "cos input, for every finite number",
                                               .special = "Infinities give NaN.",
                                               .header = "aclnn_cos.h",
                                               .products = kAllBut950},
                                     .dtypes = kReal | kComplex,
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 4),
                                     .self = "input"};
inline constexpr exec::SchemaOf kCos(Unary(kCosRow));
inline constexpr exec::SchemaOf kInplaceCos(InplaceUnary(kCosRow.Inplace("aclnnInplaceCos", kFloats4 | kComplex,
                                                                         "inputRef")));

inline constexpr exec::SchemaOf kAcos(Unary({.about = {.api = "aclnnAcos",
                                                       .library = "opapi_math",
                                                       .formula = "the angle in [0, pi] whose cosine is input",
                                                       .special = "Outside [-1, 1] NaN.",
                                                       .header = "aclnn_acos.h",
                                                       .products = kMost},
                                             .dtypes = kReal,
                                             .results = kFloats4,
                                             .errors = kTranscendental,
                                             .self = "input"}));

inline constexpr exec::SchemaOf kAsin(Unary({.about = {.api = "aclnnAsin",
                                                       .library = "opapi_math",
                                                       .formula = "the angle in [-pi / 2, pi / 2] whose sine is self",
                                                       .special = "Outside [-1, 1] NaN.",
                                                       .header = "aclnn_asin.h",
                                                       .products = kMost},
                                             .dtypes = kReal,
                                             .results = kFloats4,
                                             .errors = kTranscendental}));

inline constexpr exec::SchemaOf kAtan(
    Unary({.about = {.api = "aclnnAtan",
                     .library = "opapi_math",
                     .formula = "the angle in [-pi / 2, pi / 2] whose tangent is input",
                     .header = "aclnn_atan.h",
                     .products = kMost},
           .dtypes = kReal,
           .results = kFloats4,
           .errors = kTranscendental,
           .self = "input"}));

inline constexpr exec::SchemaOf kAcosh(Unary({.about = {.api = "aclnnAcosh",
                                                        .library = "opapi_math",
                                                        .formula = "the number >= 0 whose hyperbolic cosine is input",
                                                        .special = "Below 1 NaN.",
                                                        .header = "aclnn_acosh.h",
                                                        .products = kNot950},
                                              .dtypes = kReal,
                                              .results = kFloats4,
                                              .errors = kTranscendental,
                                              .self = "input",
                                              .odd_const = true}));

inline constexpr exec::SchemaOf kAsinh(Unary({.about = {.api = "aclnnAsinh",
                                                        .library = "opapi_math",
                                                        .formula = "the number whose hyperbolic sine is input",
                                                        .special = "Of complex numbers the imaginary part lies in "
                                                                   "[-pi / 2, pi / 2].",
                                                        .header = "aclnn_asinh.h",
                                                        .products = kNot950},
                                              .dtypes = kReal | kComplex,
                                              .results = kFloats4 | kComplex,
                                              .errors = kTranscendental.OfComplex(2, 5),
                                              .self = "input"}));

inline constexpr exec::SchemaOf kAtanh(Unary({.about = {.api = "aclnnAtanh",
                                                        .library = "opapi_math",
                                                        .formula = "the number whose hyperbolic tangent is input",
                                                        .special = "1 and -1 give infinities; outside [-1, 1] NaN.",
                                                        .header = "aclnn_atanh.h",
                                                        .products = kNot950},
                                              .dtypes = kReal,
                                              .results = kFloats4,
                                              .errors = kTranscendental,
                                              .self = "input"}));

inline constexpr exec::SchemaOf kSinh(Unary({.about = {.api = "aclnnSinh",
                                                       .library = "opapi_math",
                                                       .formula = "the hyperbolic sine of self",
                                                       .header = "aclnn_sinh.h",
                                                       .products = kMost},
                                             .dtypes = kReal | kComplex,
                                             .results = kFloats4 | kComplex,
                                             .errors = kTranscendental.OfComplex(2, 4)}));

inline constexpr exec::SchemaOf kCosh(Unary({.about = {.api = "aclnnCosh",
                                                       .library = "opapi_math",
                                                       .formula = "the hyperbolic cosine of self",
                                                       .header = "aclnn_cosh.h",
                                                       .products = kMost},
                                             .dtypes = kReal | kComplex,
                                             .results = kFloats4 | kComplex,
                                             .errors = kTranscendental.OfComplex(2, 4)}));

inline constexpr UnaryRow kTanRow = {.about = {.api = "aclnnTan",
                                               .library = "opapi_math",
                                               .formula = "the tangent of self, for every finite number",
                                               .special = "Infinities give NaN.",
                                               .header = "aclnn_tan.h",
                                               .products = kNot950},
                                     .dtypes = kReal | kComplex,
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 8)};
inline constexpr exec::SchemaOf kTan(Unary(kTanRow));
inline constexpr exec::SchemaOf kInplaceTan(InplaceUnary(kTanRow.Inplace("aclnnInplaceTan", kFloats4 | kComplex,
                                                                         "selfRef", true)));

inline constexpr exec::SchemaOf kExp2(Unary({.about = {.api = "aclnnExp2",
                                                       .library = "opapi_math",
                                                       .formula = "2^self",
                                                       .header = "aclnn_exp2.h",
                                                       .products = kNot310P},
                                             .dtypes = kReal,
                                             .results = kFloats4,
                                             .errors = kTranscendental}));

inline constexpr exec::SchemaOf kExpm1(Unary({.about = {.api = "aclnnExpm1",
                                                        .library = "opapi_math",
                                                        .formula = "e^self - 1, accurate near 0",
                                                        .header = "aclnn_expm1.h",
                                                        .products = kMost},
                                              .dtypes = kReal,
                                              .results = kFloats4,
                                              .errors = kTranscendental}));

inline constexpr exec::SchemaOf kLog1p(Unary({.about = {.api = "aclnnLog1p",
                                                        .library = "opapi_math",
                                                        .formula = "ln(1 + self), accurate near 0",
                                                        .special = "-1 gives -inf, what is less gives NaN.",
                                                        .header = "aclnn_log1p.h",
                                                        .products = kMost},
                                              .dtypes = kReal,
                                              .results = kFloats4,
                                              .errors = kTranscendental}));

inline constexpr exec::SchemaOf kLog10(
    Unary({.about = {.api = "aclnnLog10",
                     .library = "opapi_math",
                     .formula = "the decimal logarithm of self",
                     .special = "0 gives -inf, what is less gives NaN. Of complex numbers it is ln self / ln 10.",
                     .header = "aclnn_log10.h",
                     .products = kMost},
           .dtypes = kReal | kComplex,
           .results = kFloats4 | kComplex,
           .errors = kTranscendental.OfComplex(2, 5)}));

inline constexpr exec::SchemaOf kLog2(
    Unary({.about = {.api = "aclnnLog2",
                     .library = "opapi_math",
                     .formula = "the binary logarithm of self",
                     .special = "0 gives -inf, what is less gives NaN; of real powers of two it is exact. Of complex "
                                "numbers it is ln self / ln 2.",
                     .header = "aclnn_log2.h",
                     .products = kNewer},
           .dtypes = kReal | kComplex,
           .results = kFloats4 | kComplex,
           .errors = kTranscendental.OfComplex(2, 5),
           .odd_const = true}));

inline constexpr exec::SchemaOf kCeil(Unary({.about = {.api = "aclnnCeil",
                                                       .library = "opapi_math",
                                                       .formula = "the least whole number >= self",
                                                       .special = "-0 and what becomes 0 keep their signs.",
                                                       .header = "aclnn_ceil.h",
                                                       .products = kMost},
                                             .dtypes = kFloats4}));

inline constexpr exec::SchemaOf kFloor(
    Unary({.about = {.api = "aclnnFloor",
                     .library = "opapi_math",
                     .formula = "the largest whole number <= self",
                     .special = "-0 and what becomes 0 keep their signs. Integers are copied.",
                     .header = "aclnn_floor.h",
                     .products = kMost},
           .dtypes = kFloats4 | kIntegers}));

inline constexpr exec::SchemaOf kRound(Unary({.about = {.api = "aclnnRound",
                                                        .library = "opapi_math",
                                                        .formula = "the nearest whole number, of two the even one",
                                                        .special = "-0 and what becomes 0 keep their signs.",
                                                        .header = "aclnn_round.h",
                                                        .products = kNot310P},
                                              .dtypes = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64}}));

inline constexpr exec::SchemaOf kRoundDecimals(
    Unary({.about = {.api = "aclnnRoundDecimals",
                     .library = "opapi_math",
                     .formula = "rint(self * 10^decimals) / 10^decimals; with the reciprocal power for decimals < 0",
                     .special = "Each step is rounded, so that a power beyond the dtype gives NaN. Integers are copied "
                                "for decimals >= 0, else computed in DOUBLE.",
                     .header = "aclnn_round.h",
                     .products = kNot310P},
           .dtypes = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64}},
          exec::Attribute("decimals", exec::ValueKind::kInt64)));

inline constexpr exec::SchemaOf kTrunc(Unary({.about = {.api = "aclnnTrunc",
                                                        .library = "opapi_math",
                                                        .formula = "self without its fraction",
                                                        .special = "-0 and what becomes 0 keep their signs.",
                                                        .header = "aclnn_trunc.h",
                                                        .products = kMost},
                                              .dtypes = kFloats3}));

inline constexpr UnaryRow kReciprocalRow = {.about = {.api = "aclnnReciprocal",
                                                      .library = "opapi_math",
                                                      .formula = "1 / self",
                                                      .header = "aclnn_reciprocal.h",
                                                      .products = kMost},
                                            .dtypes = kReal | kComplex,
                                            .results = kFloats4 | kComplex,
                                            .errors = kOneRounding.OfComplex(0.51, 4)};
inline constexpr exec::SchemaOf kReciprocal(Unary(kReciprocalRow));
inline constexpr exec::SchemaOf kInplaceReciprocal(
    InplaceUnary(kReciprocalRow.Inplace("aclnnInplaceReciprocal", kFloats4 | kComplex, "selfRef", true)));

inline constexpr exec::SchemaOf kSinc(Unary({.about = {.api = "aclnnSinc",
                                                       .library = "opapi_math",
                                                       .formula = "sin(pi * self) / (pi * self), 1 for self = 0",
                                                       .special = "Infinities give NaN.",
                                                       .header = "aclnn_sinc.h",
                                                       .products = kNot310P},
                                             .dtypes = kReal,
                                             .results = kFloats4,
                                             .errors = {2, 2, 0.51, 3.5}}));

inline constexpr exec::SchemaOf kSignbit(Unary({.about = {.api = "aclnnSignbit",
                                                          .library = "opapi_math",
                                                          .formula = "1 where the sign bit of self is set, else 0",
                                                          .special = "Those of -0 and of NaN count.",
                                                          .header = "aclnn_signbit.h",
                                                          .products = kNot310P},
                                                .dtypes = kReal | kWideUnsigned,
                                                .results = kAll,
                                                .gives_bool = true}));

inline constexpr exec::SchemaOf kIsFinite(Unary({.about = {.api = "aclnnIsFinite",
                                                           .library = "opapi_math",
                                                           .formula = "1 where self is a finite number, else 0",
                                                           .header = "aclnn_isfinite.h",
                                                           .products = kNot310P},
                                                 .dtypes = kFloats4,
                                                 .results = kBool,
                                                 .gives_bool = true}));

inline constexpr exec::SchemaOf kIsPosInf(Unary({.about = {.api = "aclnnIsPosInf",
                                                           .library = "opapi_math",
                                                           .formula = "1 where self is +inf, else 0",
                                                           .header = "aclnn_is_pos_inf.h",
                                                           .products = kNot910},
                                                 .dtypes = kFloats4,
                                                 .results = kBool,
                                                 .gives_bool = true}));

inline constexpr exec::SchemaOf kIsNegInf(Unary({.about = {.api = "aclnnIsNegInf",
                                                           .library = "opapi_math",
                                                           .formula = "1 where self is -inf, else 0",
                                                           .header = "aclnn_is_neg_inf.h",
                                                           .products = kNot910},
                                                 .dtypes = kFloats4,
                                                 .results = kBool,
                                                 .gives_bool = true}));

inline constexpr exec::SchemaOf kIsInf(Unary({.about = {.api = "aclnnIsInf",
                                                        .library = "opapi_math",
                                                        .formula = "1 where x is an infinity, else 0",
                                                        .header = "aclnn_is_inf.h",
                                                        .products = kNot910},
                                              .dtypes = kReal,
                                              .results = kBool,
                                              .self = "x",
                                              .odd_const = true,
                                              .gives_bool = true}));

inline constexpr const exec::Schema* kSchemas[] = {
    &kAbs,   &kNeg,        &kInplaceNeg,    &kSign,       &kSqrt,       &kInplaceSqrt,
    &kExp,   &kInplaceExp, &kLog,           &kInplaceLog, &kSin,        &kInplaceSin,
    &kCos,   &kInplaceCos, &kAcos,          &kAsin,       &kAtan,       &kAcosh,
    &kAsinh, &kAtanh,      &kSinh,          &kCosh,       &kTan,        &kInplaceTan,
    &kExp2,  &kExpm1,      &kLog1p,         &kLog10,      &kLog2,       &kCeil,
    &kFloor, &kRound,      &kRoundDecimals, &kTrunc,      &kReciprocal, &kInplaceReciprocal,
    &kSinc,  &kSignbit,    &kIsFinite,      &kIsPosInf,   &kIsNegInf,   &kIsInf};

}  // namespace portacl::ops::unary
