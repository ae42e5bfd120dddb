// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "families/binary_schema.h"
#include "families/list_schema.h"

namespace portacl::ops::arithmetic {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::Arg kAlpha = exec::Scalar("alpha");
inline constexpr exec::DtypeSet kNumbers = kReal | kComplex;
inline constexpr exec::DtypeSet kNoBool = kNumbers - kBool;
inline constexpr Errors kSumErrors = Errors{1, 1.5, 0.51, 1, "the larger of both terms"}.OfComplex(1, 3);
inline constexpr Errors kProductErrors = kOneRounding.OfComplex(0.51, 2.5);

inline constexpr BinaryRow kAddRow = {.about = {.formula = "self + alpha * other",
                                                .special = "Integers wrap modulo 2^n. For BOOL, + is OR and * is AND. "
                                                           "A real alpha multiplies both parts of complex numbers.",
                                                .socs = kNot310P},
                                      .errors = kSumErrors};
PORTACL_ROW(Add, opapi_math, "aclnn_add.h", Binary(kAddRow, kAlpha));
PORTACL_ROW(InplaceAdd, opapi_math, "aclnn_add.h", InplaceBinary(kAddRow.Inplace(true), kAlpha));
inline constexpr BinaryRow kAddsRow = {.about = {.formula = "self + alpha * other",
                                                 .special = "alpha * other is rounded once; integers wrap modulo 2^n.",
                                                 .socs = kMost},
                                       .dtypes = kNumbers,
                                       .results = kNumbers,
                                       .errors = kSumErrors};
PORTACL_ROW(Adds, opapi_math, "aclnn_add.h", WithScalar(kAddsRow, kAlpha));
PORTACL_ROW(InplaceAdds, opapi_math, "aclnn_add.h", InplaceWithScalar(kAddsRow.Inplace(true), kAlpha));

inline constexpr BinaryRow kSubRow = {
    .about = {.formula = "self - alpha * other",
              .special = "Integers wrap modulo 2^n. A real alpha multiplies both parts of complex numbers.",
              .socs = kAllBut310P},
    .promoted = kNoBool,
    .errors = kSumErrors};
PORTACL_ROW(Sub, opapi_math, "aclnn_sub.h", Binary(kSubRow, kAlpha));
PORTACL_ROW(InplaceSub, opapi_math, "aclnn_sub.h", InplaceBinary(kSubRow.Inplace().Without(kBool), kAlpha));
inline constexpr BinaryRow kSubsRow = {.about = {.formula = "self - alpha * other",
                                                 .special = "alpha * other is rounded once; integers wrap modulo 2^n.",
                                                 .socs = kMost},
                                       .dtypes = kNumbers,
                                       .promoted = kNoBool,
                                       .results = kNumbers,
                                       .errors = kSumErrors};
PORTACL_ROW(Subs, opapi_math, "aclnn_sub.h", WithScalar(kSubsRow, kAlpha));
PORTACL_ROW(InplaceSubs, opapi_math, "aclnn_sub.h", InplaceWithScalar(kSubsRow.Inplace().Without(kBool), kAlpha));

inline constexpr BinaryRow kRsubsRow = {
    .about = {.formula = "other - alpha * self", .special = "Integers wrap modulo 2^n.", .socs = kMost},
    .dtypes = kNumbers,
    .promoted = kNoBool,
    .results = kNumbers,
    .errors = kSumErrors};
PORTACL_ROW(Rsubs, opapi_math, "aclnn_rsub.h", WithScalar(kRsubsRow, kAlpha));

inline constexpr BinaryRow kMulRow = {
    .about = {.formula = "self * other", .special = "Integers wrap modulo 2^n; for BOOL it is AND.", .socs = kMost},
    .errors = kProductErrors};
PORTACL_ROW(Mul, opapi_math, "aclnn_mul.h", Binary(kMulRow));
PORTACL_ROW(InplaceMul, opapi_math, "aclnn_mul.h", InplaceBinary(kMulRow.Inplace()));
PORTACL_ROW(Muls, opapi_math, "aclnn_mul.h", WithScalar(kMulRow.As("self * other")));
PORTACL_ROW(InplaceMuls, opapi_math, "aclnn_mul.h", InplaceWithScalar(kMulRow.Inplace()));

inline constexpr BinaryRow kDivRow = {
    .about = {.formula = "self / other",
              .special =
                  "Integers are divided as real numbers; an integer out gets the quotient truncated toward zero.",
              .socs = kAllBut310P},
    .results = kCastable,
    .errors = kOneRounding.OfComplex(0.51, 5.5)};
PORTACL_ROW(Div, opapi_math, "aclnn_div.h", Binary(kDivRow));
PORTACL_ROW(InplaceDiv, opapi_math, "aclnn_div.h", InplaceBinary(kDivRow.Inplace()));
PORTACL_ROW(Divs, opapi_math, "aclnn_div.h", WithScalar(kDivRow.As("self / other")));
PORTACL_ROW(InplaceDivs, opapi_math, "aclnn_div.h", InplaceWithScalar(kDivRow.Inplace()));

inline constexpr BinaryRow kMaximumRow = {
    .about = {.formula = "the larger of self and other", .special = "NaN where one is NaN.", .socs = kMost},
    .dtypes = kReal,
    .results = kReal};
PORTACL_ROW(Maximum, opapi_math, "aclnn_maximum.h", Binary(kMaximumRow));
inline constexpr BinaryRow kMinimumRow = {
    .about = {.formula = "the smaller of self and other", .special = "NaN where one is NaN.", .socs = kMost},
    .dtypes = kReal,
    .results = kReal};
PORTACL_ROW(Minimum, opapi_math, "aclnn_minimum.h", Binary(kMinimumRow));

inline constexpr exec::Arg kMode = exec::Attribute("mode", exec::ValueKind::kInt32);
inline constexpr Errors kQuotientErrors = {0.501, 0.501, 0.51, 2};
inline constexpr BinaryRow kDivModRow = {
    .about = {.formula = "self / other for mode 0; truncated for mode 1, rounded down for mode 2",
              .special = "For integers mode 0 divides as real numbers; modes 1 and 2 give an integer, 0 where other is "
                         "0, wrapped modulo 2^n. UINT8 and a scalar below 0 are divided as real numbers.",
              .socs = kMost},
    .results = kCastable,
    .computed = kComputed,
    .errors = kQuotientErrors,
    .attribute = exec::ValueOneOf("mode", {0, 1, 2})};
PORTACL_ROW(DivMod, opapi_math, "aclnn_div.h", Binary(kDivModRow, kMode));
PORTACL_ROW(InplaceDivMod, opapi_math, "aclnn_div.h", InplaceBinary(kDivModRow.Inplace(), kMode));
PORTACL_ROW(DivMods, opapi_math, "aclnn_div.h", WithScalar(kDivModRow.As(kDivModRow.about.formula), kMode));
PORTACL_ROW(InplaceDivMods, opapi_math, "aclnn_div.h", InplaceWithScalar(kDivModRow.Inplace(), kMode));

PORTACL_ROW(FloorDivide, opapi_math, "aclnn_floor_divide.h",
            Binary({.about = {.formula = "self / other, rounded down",
                              .special = "For integers 0 where other is 0, wrapped modulo 2^n; for floating types self "
                                         "/ 0 is infinite or NaN, and an infinite self gives NaN.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .results = kReal,
                    .errors = kQuotientErrors}));

inline constexpr exec::DtypeSet kFmodDtypes = kFloats4 | exec::DtypeSet{ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64};
PORTACL_ROW(
    FmodTensor, opapi_math, "aclnn_fmod_tensor.h",
    Binary({.about = {.formula = "the remainder self - other * trunc(self / other)",
                      .special = "It has the sign of self. For integers 0 where other is 0; for floating types NaN.",
                      .socs = kMost},
            .dtypes = kFmodDtypes,
            .results = kFmodDtypes}));

PORTACL_ROW(
    RemainderTensorTensor, opapi_math, "aclnn_remainder.h",
    Binary(
        {.about = {.formula = "the remainder self - other * floor(self / other)",
                   .special = "It has the sign of other. For integers self where other is 0; for floating types NaN.",
                   .socs = kMost},
         .dtypes = kReal,
         .promoted = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64},
         .results = kReal - kBool,
         .errors = kOneRounding}));

PORTACL_ROW(
    Gcd, opapi_math, "aclnn_gcd.h",
    Binary({.about =
                {.formula = "the greatest common divisor of self and other",
                 .special =
                     "It is not negative, except for the lowest integer, whose negative does not exist; 0 for 0 and 0.",
                 .socs = kMost},
            .dtypes = kIntegers,
            .results = kIntegers}));

inline constexpr const char* kWraps = "Integers wrap modulo 2^n.";
inline constexpr exec::DtypeSet kSmallListDtypes = kListDtypes | exec::DtypeSet{ACL_INT8, ACL_INT16, ACL_UINT8};
inline constexpr ListRow kAddListRow = {"x1 + alpha * x2", kWraps, kSmallListDtypes, kSumErrors};
PORTACL_ROW(ForeachAddList, opapi_nn, "aclnn_foreach_add_list.h", ForeachAlpha(kAddListRow));
PORTACL_ROW(ForeachAddListV2, opapi_nn, "aclnn_foreach_add_list_v2.h", ForeachAlphaV2(kAddListRow));
inline constexpr ListRow kSubListRow = {"x1 - alpha * x2", kWraps, kSmallListDtypes, kSumErrors};
PORTACL_ROW(ForeachSubList, opapi_nn, "aclnn_foreach_sub_list.h", ForeachAlpha(kSubListRow));
PORTACL_ROW(ForeachSubListV2, opapi_nn, "aclnn_foreach_sub_list_v2.h", ForeachAlphaV2(kSubListRow));

PORTACL_ROW(ForeachMulList, opapi_nn, "aclnn_foreach_mul_list.h",
            ForeachBinary({"x1 * x2", kWraps, kListDtypes, kOneRounding}));
PORTACL_ROW(ForeachDivList, opapi_nn, "aclnn_foreach_div_list.h",
            ForeachBinary({.formula = "x1 / x2", .errors = kOneRounding}));
PORTACL_ROW(ForeachMaximumList, opapi_nn, "aclnn_foreach_maximum_list.h",
            ForeachBinary({"the larger of x1 and x2", "NaN where one is NaN.", kListDtypes}));
PORTACL_ROW(ForeachMinimumList, opapi_nn, "aclnn_foreach_minimum_list.h",
            ForeachBinary({"the smaller of x1 and x2", "NaN where one is NaN.", kListDtypes}));

inline constexpr ListRow kAddScalarRow = {"x + scalar", kWraps, kSmallListDtypes, kSumErrors};
PORTACL_ROW(ForeachAddScalar, opapi_nn, "aclnn_foreach_add_scalar.h", ForeachScalar(kAddScalarRow));
PORTACL_ROW(ForeachAddScalarV2, opapi_nn, "aclnn_foreach_add_scalar_v2.h", ForeachScalarV2(kAddScalarRow));
PORTACL_ROW(ForeachAddScalarList, opapi_nn, "aclnn_foreach_add_scalar_list.h",
            ForeachScalarList({"x + scalars", kWraps, kListDtypes, kSumErrors}));
inline constexpr ListRow kSubScalarRow = {"x - scalar", kWraps, kListDtypes, kSumErrors};
PORTACL_ROW(ForeachSubScalar, opapi_nn, "aclnn_foreach_sub_scalar.h", ForeachScalar(kSubScalarRow));
PORTACL_ROW(ForeachSubScalarV2, opapi_nn, "aclnn_foreach_sub_scalar_v2.h", ForeachScalarV2(kSubScalarRow));
PORTACL_ROW(ForeachSubScalarList, opapi_nn, "aclnn_foreach_sub_scalar_list.h",
            ForeachScalarList({"x - scalars", kWraps, kListDtypes, kSumErrors}));
inline constexpr ListRow kMulScalarRow = {"x * scalar", kWraps, kListDtypes, kOneRounding};
PORTACL_ROW(ForeachMulScalar, opapi_nn, "aclnn_foreach_mul_scalar.h", ForeachScalar(kMulScalarRow));
PORTACL_ROW(ForeachMulScalarV2, opapi_nn, "aclnn_foreach_mul_scalar_v2.h", ForeachScalarV2(kMulScalarRow));
PORTACL_ROW(ForeachMulScalarList, opapi_nn, "aclnn_foreach_mul_scalar_list.h",
            ForeachScalarList({"x * scalars", kWraps, kListDtypes, kOneRounding}));
inline constexpr ListRow kDivScalarRow = {.formula = "x / scalar", .errors = kOneRounding};
PORTACL_ROW(ForeachDivScalar, opapi_nn, "aclnn_foreach_div_scalar.h", ForeachScalar(kDivScalarRow));
PORTACL_ROW(ForeachDivScalarV2, opapi_nn, "aclnn_foreach_div_scalar_v2.h", ForeachScalarV2(kDivScalarRow));
PORTACL_ROW(ForeachDivScalarList, opapi_nn, "aclnn_foreach_div_scalar_list.h",
            ForeachScalarList({.formula = "x / scalars", .errors = kOneRounding}));

PORTACL_ROW(
    ForeachNonFiniteCheckAndUnscale, opapi_nn, "aclnn_foreach_non_finite_check_and_unscale.h",
    exec::MakeRecipe(
        {.formula = "scaledGrads = scaledGrads * invScale; foundInf = 1 if one of scaledGrads was not finite",
         .special = "Else foundInf keeps its value, also where a product overflows.",
         .accuracy = {exec::Ulp("scaledGrads", {ACL_FLOAT}, kOneRounding.single),
                      exec::Ulp("scaledGrads", kNarrow, kOneRounding.narrow), exec::Exact("foundInf")},
         .socs = kNot910},
        {exec::Const(InOutList("scaledGrads")), exec::Const(exec::InOut("foundInf")), exec::In("invScale")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("scaledGrads", "foundInf", "invScale"),
         exec::OnSocs(), Dtypes({"scaledGrads"}, kFloats3), exec::SameDtype("scaledGrads"),
         exec::DtypeOneOf({"foundInf"}, {ACL_FLOAT}), exec::DtypeOneOf({"invScale"}, {ACL_FLOAT}),
         exec::PlainFormat("scaledGrads", "foundInf", "invScale"), exec::MaxRank("scaledGrads", "foundInf", "invScale"),
         exec::SizeInRange({exec::Length("scaledGrads")}, 1, std::numeric_limits<int64_t>::max()).Status(exec::kNoPlan),
         exec::SameSize({exec::Length("scaledGrads")}).Status(exec::kNoPlan),
         exec::Custom("foundInf, invScale: one element", CheckOneScalar).Status(exec::kNoPlan)}));

}  // namespace portacl::ops::arithmetic
