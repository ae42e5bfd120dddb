// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/list_schema.h"
#include "families/pointwise_schema.h"

namespace portacl::ops::unary {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNegated = kFloats4 | kComplex | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64};

PORTACL_ROW(
    Abs, opapi_math, "aclnn_abs.h",
    Unary({.about = {.formula = "|self|",
                     .special = "The least integer stays itself; -0 gives +0. For complex numbers it is the modulus.",
                     .torch = "abs(normal)",
                     .socs = kMost},
           .dtypes = kReal | exec::DtypeSet{ACL_COMPLEX64},
           .results = kReal,
           .gives_parts = true}));

inline constexpr UnaryRow kNegRow = {
    .about = {.formula = "-self", .special = "Integers wrap modulo 2^n.", .torch = "neg(normal)", .socs = kAllBut310P},
    .dtypes = kNegated,
    .results = kCastable};
PORTACL_ROW(Neg, opapi_math, "aclnn_neg.h", Unary(kNegRow));
PORTACL_ROW(InplaceNeg, opapi_math, "aclnn_neg.h", InplaceUnary(kNegRow.Inplace(kNegated)));

PORTACL_ROW(
    BitwiseNot, opapi_math, "aclnn_bitwise_not.h",
    Unary({.about = {.formula = "the bits of self, inverted", .special = "BOOL: not self, 0 or 1.", .socs = kMost},
           .dtypes = kWhole}));

PORTACL_ROW(
    Sign, opapi_math, "aclnn_sign.h",
    Unary({.about = {.formula = "1 where self > 0, -1 where self < 0, else 0",
                     .special = "NaN and both zeros give +0. Complex numbers are divided by their moduli, 0 gives 0.",
                     .torch = "sign(normal)",
                     .socs = kNewer},
           .dtypes = kFloats4 | kComplex | exec::DtypeSet{ACL_INT32, ACL_INT64, ACL_BOOL},
           .errors = kExact.OfComplex(0.51, 2),
           .out = "result"}));

inline constexpr UnaryRow kSqrtRow = {
    .about = {.formula = "the square root of self",
              .special = "-0 gives -0, a negative number NaN. A complex root has a real part >= 0.",
              .torch = "sqrt(positive)",
              .socs = kNot310P},
    .dtypes = kReal | kComplex,
    .results = kFloats4 | kComplex,
    .errors = kOneRounding.OfComplex(0.51, 4)};
PORTACL_ROW(Sqrt, opapi_math, "aclnn_sqrt.h", Unary(kSqrtRow));
PORTACL_ROW(InplaceSqrt, opapi_math, "aclnn_sqrt.h", InplaceUnary(kSqrtRow.Inplace(kFloats4 | kComplex, "self")));

inline constexpr UnaryRow kRsqrtRow = {
    .about =
        {.formula = "1 / sqrt(self)",
         .special =
             "0 gives inf, -0 gives -inf, a negative number NaN, inf gives 0. A complex root has a real part >= 0.",
         .torch = "rsqrt(positive)"},
    .dtypes = kReal | kComplex,
    .results = kFloats4 | kComplex,
    .errors = Errors{1, 1, 0.51, 1}.OfComplex(0.51, 4)};
PORTACL_ROW(Rsqrt, opapi_math, "aclnn_rsqrt.h", Unary(kRsqrtRow));
PORTACL_ROW(InplaceRsqrt, opapi_math, "aclnn_rsqrt.h", InplaceUnary(kRsqrtRow.Inplace(kFloats4 | kComplex)));

inline constexpr UnaryRow kExpRow = {.about = {.formula = "e^self", .torch = "exp(normal)", .socs = kNewer},
                                     .dtypes = kFloats4 | kComplex | exec::DtypeSet{ACL_BOOL, ACL_INT64},
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 4)};
PORTACL_ROW(Exp, opapi_math, "aclnn_exp.h", Unary(kExpRow));
PORTACL_ROW(InplaceExp, opapi_math, "aclnn_exp.h", InplaceUnary(kExpRow.Inplace(kFloats4 | kComplex)));

inline constexpr UnaryRow kErfRow = {.about = {.formula = "2 / sqrt(pi) times the integral of e^(-t^2) from 0 to self",
                                               .special = "-0 gives -0.",
                                               .torch = "erf(normal)",
                                               .socs = kNot310P},
                                     .dtypes = kFloats4 | exec::DtypeSet{ACL_BOOL, ACL_INT32, ACL_INT64},
                                     .results = kFloats4,
                                     .errors = kTranscendental};
PORTACL_ROW(Erf, opapi_math, "aclnn_erf.h", Unary(kErfRow));
PORTACL_ROW(InplaceErf, opapi_math, "aclnn_erf.h", InplaceUnary(kErfRow.Inplace(kFloats4)));

inline constexpr UnaryRow kErfcRow = {
    .about = {.formula = "2 / sqrt(pi) times the integral of e^(-t^2) from self to infinity",
              .special = "inf gives 0, -inf gives 2. Small results are as accurate as others.",
              .torch = "erfc(normal)"},
    .dtypes = kFloats4 | exec::DtypeSet{ACL_BOOL, ACL_INT32, ACL_INT64},
    .results = kFloats4,
    .errors = {2, 2.8, 0.51, 1}};
PORTACL_ROW(Erfc, opapi_math, "aclnn_erfc.h", Unary(kErfcRow));
PORTACL_ROW(InplaceErfc, opapi_math, "aclnn_erfc.h", InplaceUnary(kErfcRow.Inplace(kFloats4, "selfRef", true)));

inline constexpr UnaryRow kLogRow = {
    .about = {.formula = "ln self",
              .special =
                  "0 gives -inf, a negative number NaN. For complex numbers the imaginary part lies in [-pi, pi].",
              .torch = "log(positive)",
              .socs = kNewer},
    .dtypes = kReal | kComplex,
    .results = kFloats4 | kComplex,
    .errors = kTranscendental.OfComplex(2, 4)};
PORTACL_ROW(Log, opapi_math, "aclnn_log.h", Unary(kLogRow));
PORTACL_ROW(InplaceLog, opapi_math, "aclnn_log.h", InplaceUnary(kLogRow.Inplace(kFloats4 | kComplex)));

inline constexpr UnaryRow kSinRow = {.about = {.formula = "sin self, for every finite number",
                                               .special = "Infinities give NaN.",
                                               .torch = "sin(normal)",
                                               .socs = kMost},
                                     .dtypes = kReal | kComplex,
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 4)};
PORTACL_ROW(Sin, opapi_math, "aclnn_sin.h", Unary(kSinRow));
PORTACL_ROW(InplaceSin, opapi_math, "aclnn_sin.h", InplaceUnary(kSinRow.Inplace(kFloats3)));

inline constexpr UnaryRow kCosRow = {.about = {.formula = "cos input, for every finite number",
                                               .special = "Infinities give NaN.",
                                               .torch = "cos(normal)",
                                               .socs = kAllBut950},
                                     .dtypes = kReal | kComplex,
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 4),
                                     .self = "input"};
PORTACL_ROW(Cos, opapi_math, "aclnn_cos.h", Unary(kCosRow));
PORTACL_ROW(InplaceCos, opapi_math, "aclnn_cos.h", InplaceUnary(kCosRow.Inplace(kFloats4 | kComplex, "inputRef")));

PORTACL_ROW(Acos, opapi_math, "aclnn_acos.h",
            Unary({.about = {.formula = "the angle in [0, pi] whose cosine is input",
                             .special = "Outside [-1, 1] NaN.",
                             .torch = "acos(unit)",
                             .socs = kMost},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental,
                   .self = "input"}));

PORTACL_ROW(Asin, opapi_math, "aclnn_asin.h",
            Unary({.about = {.formula = "the angle in [-pi / 2, pi / 2] whose sine is self",
                             .special = "Outside [-1, 1] NaN.",
                             .torch = "asin(unit)",
                             .socs = kMost},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental}));

PORTACL_ROW(Atan, opapi_math, "aclnn_atan.h",
            Unary({.about = {.formula = "the angle in [-pi / 2, pi / 2] whose tangent is input",
                             .torch = "atan(normal)",
                             .socs = kMost},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental,
                   .self = "input"}));

PORTACL_ROW(Acosh, opapi_math, "aclnn_acosh.h",
            Unary({.about = {.formula = "the number >= 0 whose hyperbolic cosine is input",
                             .special = "Below 1 NaN.",
                             .torch = "acosh(above one)",
                             .socs = kNot950},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental,
                   .self = "input",
                   .odd_const = true}));

PORTACL_ROW(Asinh, opapi_math, "aclnn_asinh.h",
            Unary({.about = {.formula = "the number whose hyperbolic sine is input",
                             .special = "For complex numbers the imaginary part lies in [-pi / 2, pi / 2].",
                             .torch = "asinh(normal)",
                             .socs = kNot950},
                   .dtypes = kReal | kComplex,
                   .results = kFloats4 | kComplex,
                   .errors = kTranscendental.OfComplex(2, 5),
                   .self = "input"}));

PORTACL_ROW(Atanh, opapi_math, "aclnn_atanh.h",
            Unary({.about = {.formula = "the number whose hyperbolic tangent is input",
                             .special = "1 and -1 give infinities; outside [-1, 1] NaN.",
                             .torch = "atanh(unit)",
                             .socs = kNot950},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental,
                   .self = "input"}));

PORTACL_ROW(Sinh, opapi_math, "aclnn_sinh.h",
            Unary({.about = {.formula = "the hyperbolic sine of self", .torch = "sinh(normal)", .socs = kMost},
                   .dtypes = kReal | kComplex,
                   .results = kFloats4 | kComplex,
                   .errors = kTranscendental.OfComplex(2, 4)}));

PORTACL_ROW(Cosh, opapi_math, "aclnn_cosh.h",
            Unary({.about = {.formula = "the hyperbolic cosine of self", .torch = "cosh(normal)", .socs = kMost},
                   .dtypes = kReal | kComplex,
                   .results = kFloats4 | kComplex,
                   .errors = kTranscendental.OfComplex(2, 4)}));

inline constexpr UnaryRow kTanRow = {.about = {.formula = "the tangent of self, for every finite number",
                                               .special = "Infinities give NaN.",
                                               .torch = "tan(normal)",
                                               .socs = kNot950},
                                     .dtypes = kReal | kComplex,
                                     .results = kFloats4 | kComplex,
                                     .errors = kTranscendental.OfComplex(2, 8)};
PORTACL_ROW(Tan, opapi_math, "aclnn_tan.h", Unary(kTanRow));
PORTACL_ROW(InplaceTan, opapi_math, "aclnn_tan.h", InplaceUnary(kTanRow.Inplace(kFloats4 | kComplex, "selfRef", true)));

PORTACL_ROW(Exp2, opapi_math, "aclnn_exp2.h",
            Unary({.about = {.formula = "2^self", .torch = "exp2(normal)", .socs = kNot310P},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental}));

PORTACL_ROW(Expm1, opapi_math, "aclnn_expm1.h",
            Unary({.about = {.formula = "e^self - 1, accurate near 0", .torch = "expm1(normal)", .socs = kMost},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental}));

PORTACL_ROW(Log1p, opapi_math, "aclnn_log1p.h",
            Unary({.about = {.formula = "ln(1 + self), accurate near 0",
                             .special = "-1 gives -inf, a number below NaN.",
                             .torch = "log1p(positive)",
                             .socs = kMost},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = kTranscendental}));

PORTACL_ROW(
    Log10, opapi_math, "aclnn_log10.h",
    Unary({.about = {.formula = "the decimal logarithm of self",
                     .special = "0 gives -inf, a negative number NaN. For complex numbers it is ln self / ln 10.",
                     .torch = "log10(positive)",
                     .socs = kMost},
           .dtypes = kReal | kComplex,
           .results = kFloats4 | kComplex,
           .errors = kTranscendental.OfComplex(2, 5)}));

PORTACL_ROW(Log2, opapi_math, "aclnn_log2.h",
            Unary({.about = {.formula = "the binary logarithm of self",
                             .special = "0 gives -inf, a negative number NaN; real powers of two give exact results. "
                                        "For complex numbers it is ln self / ln 2.",
                             .torch = "log2(positive)",
                             .socs = kNewer},
                   .dtypes = kReal | kComplex,
                   .results = kFloats4 | kComplex,
                   .errors = kTranscendental.OfComplex(2, 5),
                   .odd_const = true}));

PORTACL_ROW(Ceil, opapi_math, "aclnn_ceil.h",
            Unary({.about = {.formula = "the least whole number >= self",
                             .special = "-0 and what becomes 0 keep their signs.",
                             .torch = "ceil(normal)",
                             .socs = kMost},
                   .dtypes = kFloats4}));

PORTACL_ROW(Floor, opapi_math, "aclnn_floor.h",
            Unary({.about = {.formula = "the largest whole number <= self",
                             .special = "-0 and what becomes 0 keep their signs. Integers are copied.",
                             .torch = "floor(normal)",
                             .socs = kMost},
                   .dtypes = kFloats4 | kIntegers}));

PORTACL_ROW(Round, opapi_math, "aclnn_round.h",
            Unary({.about = {.formula = "the nearest whole number, of two the even one",
                             .special = "-0 and what becomes 0 keep their signs.",
                             .torch = "round(normal)",
                             .socs = kNot310P},
                   .dtypes = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64}}));

PORTACL_ROW(
    RoundDecimals, opapi_math, "aclnn_round.h",
    Unary({.about = {.formula = "rint(self * 10^decimals) / 10^decimals; with the reciprocal power for decimals < 0",
                     .special = "Each step is rounded, so that a power beyond the dtype gives NaN. Integers are copied "
                                "for decimals >= 0, else computed in DOUBLE.",
                     .socs = kNot310P},
           .dtypes = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64}},
          exec::Attribute("decimals", exec::ValueKind::kInt64)));

PORTACL_ROW(Trunc, opapi_math, "aclnn_trunc.h",
            Unary({.about = {.formula = "self without its fraction",
                             .special = "-0 and what becomes 0 keep their signs.",
                             .torch = "trunc(normal)",
                             .socs = kMost},
                   .dtypes = kFloats3}));

inline constexpr UnaryRow kReciprocalRow = {
    .about = {.formula = "1 / self", .torch = "reciprocal(normal)", .socs = kMost},
    .dtypes = kReal | kComplex,
    .results = kFloats4 | kComplex,
    .errors = kOneRounding.OfComplex(0.51, 4)};
PORTACL_ROW(Reciprocal, opapi_math, "aclnn_reciprocal.h", Unary(kReciprocalRow));
PORTACL_ROW(InplaceReciprocal, opapi_math, "aclnn_reciprocal.h",
            InplaceUnary(kReciprocalRow.Inplace(kFloats4 | kComplex, "selfRef", true)));

PORTACL_ROW(Sinc, opapi_math, "aclnn_sinc.h",
            Unary({.about = {.formula = "sin(pi * self) / (pi * self), 1 for self = 0",
                             .special = "Infinities give NaN.",
                             .socs = kNot310P},
                   .dtypes = kReal,
                   .results = kFloats4,
                   .errors = {2, 2, 0.51, 3.5}}));

PORTACL_ROW(Signbit, opapi_math, "aclnn_signbit.h",
            Unary({.about = {.formula = "1 where the sign bit of self is set, else 0",
                             .special = "Those of -0 and of NaN count.",
                             .socs = kNot310P},
                   .dtypes = kReal | kWideUnsigned,
                   .results = kAll,
                   .gives_bool = true}));

PORTACL_ROW(IsFinite, opapi_math, "aclnn_isfinite.h",
            Unary({.about = {.formula = "1 where self is a finite number, else 0",
                             .torch = "isfinite(normal)",
                             .socs = kNot310P},
                   .dtypes = kFloats4,
                   .results = kBool,
                   .gives_bool = true}));

PORTACL_ROW(IsPosInf, opapi_math, "aclnn_is_pos_inf.h",
            Unary({.about = {.formula = "1 where self is +inf, else 0", .torch = "isposinf(normal)", .socs = kNot910},
                   .dtypes = kFloats4,
                   .results = kBool,
                   .gives_bool = true}));

PORTACL_ROW(IsNegInf, opapi_math, "aclnn_is_neg_inf.h",
            Unary({.about = {.formula = "1 where self is -inf, else 0", .torch = "isneginf(normal)", .socs = kNot910},
                   .dtypes = kFloats4,
                   .results = kBool,
                   .gives_bool = true}));

PORTACL_ROW(IsInf, opapi_math, "aclnn_is_inf.h",
            Unary({.about = {.formula = "1 where x is an infinity, else 0", .torch = "isinf(normal)", .socs = kNot910},
                   .dtypes = kReal,
                   .results = kBool,
                   .self = "x",
                   .odd_const = true,
                   .gives_bool = true}));

// Those of lists. What holds for special values of the operator of that name holds here, too.
inline constexpr exec::DtypeSet kSmallIntegers = {ACL_INT8, ACL_INT16, ACL_UINT8};
PORTACL_ROW(ForeachAbs, opapi_nn, "aclnn_foreach_abs.h", ForeachUnary({"|x|"}));
PORTACL_ROW(ForeachNeg, opapi_nn, "aclnn_foreach_neg.h",
            ForeachUnary({"-x", "Integers wrap modulo 2^n.", kFloats3 | kSigned}));
PORTACL_ROW(ForeachSign, opapi_nn, "aclnn_foreach_sign.h",
            ForeachUnary({"1 where x > 0, -1 where x < 0, else 0", "",
                          kFloats3 | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64}}));
PORTACL_ROW(ForeachSqrt, opapi_nn, "aclnn_foreach_sqrt.h",
            ForeachUnary({.formula = "the square root of x", .errors = kOneRounding}));
PORTACL_ROW(ForeachReciprocal, opapi_nn, "aclnn_foreach_reciprocal.h",
            ForeachUnary({.formula = "1 / x", .errors = kOneRounding}));
PORTACL_ROW(ForeachExp, opapi_nn, "aclnn_foreach_exp.h",
            ForeachUnary(
                {.formula = "e^x", .dtypes = kFloats3 | kSmallIntegers, .errors = kTranscendental, .truncates = true}));
PORTACL_ROW(ForeachExpm1, opapi_nn, "aclnn_foreach_expm1.h",
            ForeachUnary({.formula = "e^x - 1",
                          .dtypes = kFloats3 | kSmallIntegers,
                          .errors = kTranscendental,
                          .truncates = true}));
PORTACL_ROW(ForeachLog, opapi_nn, "aclnn_foreach_log.h", ForeachUnary({.formula = "ln x", .errors = kTranscendental}));
PORTACL_ROW(ForeachLog1p, opapi_nn, "aclnn_foreach_log1p.h",
            ForeachUnary({.formula = "ln(1 + x)", .errors = kTranscendental}));
PORTACL_ROW(ForeachLog2, opapi_nn, "aclnn_foreach_log2.h",
            ForeachUnary({.formula = "the binary logarithm of x", .errors = kTranscendental}));
PORTACL_ROW(ForeachLog10, opapi_nn, "aclnn_foreach_log10.h",
            ForeachUnary({.formula = "the decimal logarithm of x", .errors = kTranscendental}));
PORTACL_ROW(ForeachSin, opapi_nn, "aclnn_foreach_sin.h", ForeachUnary({.formula = "sin x", .errors = kTranscendental}));
PORTACL_ROW(ForeachCos, opapi_nn, "aclnn_foreach_cos.h", ForeachUnary({.formula = "cos x", .errors = kTranscendental}));
PORTACL_ROW(ForeachTan, opapi_nn, "aclnn_foreach_tan.h", ForeachUnary({.formula = "tan x", .errors = kTranscendental}));
PORTACL_ROW(ForeachAsin, opapi_nn, "aclnn_foreach_asin.h",
            ForeachUnary({.formula = "the angle whose sine is x", .errors = kTranscendental}));
PORTACL_ROW(ForeachAcos, opapi_nn, "aclnn_foreach_acos.h",
            ForeachUnary({.formula = "the angle whose cosine is x", .errors = kTranscendental}));
PORTACL_ROW(ForeachAtan, opapi_nn, "aclnn_foreach_atan.h",
            ForeachUnary({.formula = "the angle whose tangent is x", .errors = kTranscendental}));
PORTACL_ROW(ForeachSinh, opapi_nn, "aclnn_foreach_sinh.h",
            ForeachUnary({.formula = "the hyperbolic sine of x", .errors = kTranscendental}));
PORTACL_ROW(ForeachCosh, opapi_nn, "aclnn_foreach_cosh.h",
            ForeachUnary({.formula = "the hyperbolic cosine of x", .errors = kTranscendental}));
PORTACL_ROW(ForeachErf, opapi_nn, "aclnn_foreach_erf.h",
            ForeachUnary({.formula = "2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x",
                          .errors = kTranscendental}));
PORTACL_ROW(ForeachErfc, opapi_nn, "aclnn_foreach_erfc.h",
            ForeachUnary({.formula = "2 / sqrt(pi) times the integral of e^(-t^2) from x to infinity",
                          .errors = kErfcRow.errors}));

}  // namespace portacl::ops::unary
