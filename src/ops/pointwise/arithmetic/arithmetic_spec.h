// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "exec/arguments.h"
#include "families/binary_schema.h"

namespace portacl::ops::arithmetic {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::Arg kAlpha = exec::Scalar("alpha");
inline constexpr exec::DtypeSet kNumbers = kReal | kComplex;
inline constexpr exec::DtypeSet kNoBool = kNumbers - kBool;
inline constexpr Errors kSumErrors = Errors{1, 1.5, 0.51, 1, "the larger of both terms"}.OfComplex(1, 3);
inline constexpr Errors kProductErrors = kOneRounding.OfComplex(0.51, 2.5);

inline constexpr BinaryRow kAddRow = {
    .about = {.api = "aclnnAdd",
              .library = "opapi_math",
              .formula = "self + alpha * other",
              .special = "Integers count modulo 2^n; of BOOL + is or, * is and. A real alpha "
                         "multiplies both parts of complex numbers.",
              .header = "aclnn_add.h",
              .products = kNot310P},
    .errors = kSumErrors};
inline constexpr exec::SchemaOf kAdd(Binary(kAddRow, kAlpha));
inline constexpr exec::SchemaOf kInplaceAdd(InplaceBinary(kAddRow.Inplace("aclnnInplaceAdd", true), kAlpha));
inline constexpr BinaryRow kAddsRow = {.about = {.api = "aclnnAdds",
                                                 .library = "opapi_math",
                                                 .formula = "self + alpha * other",
                                                 .special = "alpha * other is rounded once; integers count modulo 2^n.",
                                                 .header = "aclnn_add.h",
                                                 .products = kMost},
                                       .dtypes = kNumbers,
                                       .results = kNumbers,
                                       .errors = kSumErrors};
inline constexpr exec::SchemaOf kAdds(WithScalar(kAddsRow, kAlpha));
inline constexpr exec::SchemaOf kInplaceAdds(InplaceWithScalar(kAddsRow.Inplace("aclnnInplaceAdds", true), kAlpha));

inline constexpr BinaryRow kSubRow = {
    .about = {.api = "aclnnSub",
              .library = "opapi_math",
              .formula = "self - alpha * other",
              .special = "Integers count modulo 2^n. A real alpha multiplies both parts of "
                         "complex numbers.",
              .header = "aclnn_sub.h",
              .products = kAllBut310P},
    .promoted = kNoBool,
    .errors = kSumErrors};
inline constexpr exec::SchemaOf kSub(Binary(kSubRow, kAlpha));
inline constexpr exec::SchemaOf kInplaceSub(InplaceBinary(kSubRow.Inplace("aclnnInplaceSub").Without(kBool), kAlpha));
inline constexpr BinaryRow kSubsRow = {.about = {.api = "aclnnSubs",
                                                 .library = "opapi_math",
                                                 .formula = "self - alpha * other",
                                                 .special = "alpha * other is rounded once; integers count modulo 2^n.",
                                                 .header = "aclnn_sub.h",
                                                 .products = kMost},
                                       .dtypes = kNumbers,
                                       .promoted = kNoBool,
                                       .results = kNumbers,
                                       .errors = kSumErrors};
inline constexpr exec::SchemaOf kSubs(WithScalar(kSubsRow, kAlpha));
inline constexpr exec::SchemaOf kInplaceSubs(InplaceWithScalar(kSubsRow.Inplace("aclnnInplaceSubs").Without(kBool),
                                                               kAlpha));

inline constexpr BinaryRow kRsubsRow = {.about = {.api = "aclnnRsubs",
                                                  .library = "opapi_math",
                                                  .formula = "other - alpha * self",
                                                  .special = "Integers count modulo 2^n.",
                                                  .header = "aclnn_rsub.h",
                                                  .products = kMost},
                                        .dtypes = kNumbers,
                                        .promoted = kNoBool,
                                        .results = kNumbers,
                                        .errors = kSumErrors};
inline constexpr exec::SchemaOf kRsubs(WithScalar(kRsubsRow, kAlpha));

inline constexpr BinaryRow kMulRow = {.about = {.api = "aclnnMul",
                                                .library = "opapi_math",
                                                .formula = "self * other",
                                                .special = "Integers count modulo 2^n; of BOOL it is and.",
                                                .header = "aclnn_mul.h",
                                                .products = kMost},
                                      .errors = kProductErrors};
inline constexpr exec::SchemaOf kMul(Binary(kMulRow));
inline constexpr exec::SchemaOf kInplaceMul(InplaceBinary(kMulRow.Inplace("aclnnInplaceMul")));
inline constexpr exec::SchemaOf kMuls(WithScalar(kMulRow.As("aclnnMuls", "self * other")));
inline constexpr exec::SchemaOf kInplaceMuls(InplaceWithScalar(kMulRow.Inplace("aclnnInplaceMuls")));

inline constexpr BinaryRow kDivRow = {
    .about = {.api = "aclnnDiv",
              .library = "opapi_math",
              .formula = "self / other",
              .special = "Of integers it is the quotient of real numbers, cut off where out is an integer.",
              .header = "aclnn_div.h",
              .products = kAllBut310P},
    .results = kCastable,
    .errors = kOneRounding.OfComplex(0.51, 5.5)};
inline constexpr exec::SchemaOf kDiv(Binary(kDivRow));
inline constexpr exec::SchemaOf kInplaceDiv(InplaceBinary(kDivRow.Inplace("aclnnInplaceDiv")));
inline constexpr exec::SchemaOf kDivs(WithScalar(kDivRow.As("aclnnDivs", "self / other")));
inline constexpr exec::SchemaOf kInplaceDivs(InplaceWithScalar(kDivRow.Inplace("aclnnInplaceDivs")));

inline constexpr BinaryRow kMaximumRow = {.about = {.api = "aclnnMaximum",
                                                    .library = "opapi_math",
                                                    .formula = "the larger of self and other",
                                                    .special = "NaN where one is NaN.",
                                                    .header = "aclnn_maximum.h",
                                                    .products = kMost},
                                          .dtypes = kReal,
                                          .results = kReal};
inline constexpr exec::SchemaOf kMaximum(Binary(kMaximumRow));
inline constexpr BinaryRow kMinimumRow = {.about = {.api = "aclnnMinimum",
                                                    .library = "opapi_math",
                                                    .formula = "the smaller of self and other",
                                                    .special = "NaN where one is NaN.",
                                                    .header = "aclnn_minimum.h",
                                                    .products = kMost},
                                          .dtypes = kReal,
                                          .results = kReal};
inline constexpr exec::SchemaOf kMinimum(Binary(kMinimumRow));

inline constexpr exec::Arg kMode = exec::Attribute("mode", exec::ValueKind::kInt32);
inline constexpr Errors kQuotientErrors = {0.501, 0.501, 0.51, 2};
inline constexpr BinaryRow kDivModRow = {
    .about = {.api = "aclnnDivMod",
              .library = "opapi_math",
              .formula = "self / other for mode 0; cut off for mode 1, rounded down for mode 2",
              .special =
                  "Of integers mode 0 gives the quotient of real numbers, modes 1 and 2 an integer, 0 where other "
                  "is 0, modulo 2^n. UINT8 and a scalar below 0 are divided as real numbers.",
              .header = "aclnn_div.h",
              .products = kMost},
    .results = kCastable,
    .computed = kComputed,
    .errors = kQuotientErrors,
    .attribute = exec::ValueOneOf("mode", {0, 1, 2})};
inline constexpr exec::SchemaOf kDivMod(Binary(kDivModRow, kMode));
inline constexpr exec::SchemaOf kInplaceDivMod(InplaceBinary(kDivModRow.Inplace("aclnnInplaceDivMod"), kMode));
inline constexpr exec::SchemaOf kDivMods(WithScalar(kDivModRow.As("aclnnDivMods", kDivModRow.about.formula), kMode));
inline constexpr exec::SchemaOf kInplaceDivMods(InplaceWithScalar(kDivModRow.Inplace("aclnnInplaceDivMods"), kMode));

inline constexpr exec::SchemaOf kFloorDivide(Binary(
    {.about = {.api = "aclnnFloorDivide",
               .library = "opapi_math",
               .formula = "self / other, rounded down",
               .special = "Of integers 0 where other is 0, and modulo 2^n; of floating types self / 0 is infinite "
                          "or NaN, and an infinite self gives NaN.",
               .header = "aclnn_floor_divide.h",
               .products = kMost},
     .dtypes = kReal,
     .results = kReal,
     .errors = kQuotientErrors}));

inline constexpr exec::DtypeSet kFmodDtypes = kFloats4 | exec::DtypeSet{ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64};
inline constexpr exec::SchemaOf kFmodTensor(
    Binary({.about = {.api = "aclnnFmodTensor",
                      .library = "opapi_math",
                      .formula = "what self / other, cut off, leaves of self",
                      .special = "It has the sign of self. Of integers 0 where other is 0; of floating types NaN.",
                      .header = "aclnn_fmod_tensor.h",
                      .products = kMost},
            .dtypes = kFmodDtypes,
            .results = kFmodDtypes}));

inline constexpr exec::SchemaOf kRemainderTensorTensor(
    Binary({.about = {.api = "aclnnRemainderTensorTensor",
                      .library = "opapi_math",
                      .formula = "what self / other, rounded down, leaves of self",
                      .special = "It has the sign of other. Of integers self where other is 0; of floating types NaN.",
                      .header = "aclnn_remainder.h",
                      .products = kMost},
            .dtypes = kReal,
            .promoted = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64},
            .results = kReal - kBool,
            .errors = kOneRounding}));

inline constexpr exec::SchemaOf kGcd(Binary(
    {.about = {.api = "aclnnGcd",
               .library = "opapi_math",
               .formula = "the greatest common divisor of self and other",
               .special = "It is not negative, but for the lowest integer, which has no other sign; 0 of 0 and 0.",
               .header = "aclnn_gcd.h",
               .products = kMost},
     .dtypes = kIntegers,
     .results = kIntegers}));

/// scalar has the dtype of x, or FLOAT where x has 16 bits: always that where x is BFLOAT16.
aclnnStatus FactorFitsList(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus FactorIsOneElement(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kForeachDtypes = kFloats3 | exec::DtypeSet{ACL_INT32};
inline constexpr exec::SchemaOf kForeachMulScalar(
    {.api = "aclnnForeachMulScalar",
     .formula = "x * scalar, tensor by tensor",
     .special = "Integers count modulo 2^n.",
     .header = "aclnn_foreach_mul_scalar.h",
     .accuracy = {exec::Ulp("out", {ACL_FLOAT}, kOneRounding.single), exec::Ulp("out", kNarrow, kOneRounding.narrow),
                  exec::Exact("out", {ACL_INT32})},
     .products = kNewer},
    {exec::InList("x"), exec::In("scalar"), exec::Const(exec::OutList("out"))},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("x", "scalar", "out"), exec::OnProducts(),
     Dtypes({"x"}, kForeachDtypes), exec::SameDtype("x", "out"),
     exec::DtypeOneOf({"scalar"}, {ACL_FLOAT, ACL_FLOAT16, ACL_INT32}),
     exec::Custom("scalar: dtype of x, FLOAT for BFLOAT16, either for FLOAT16", FactorFitsList),
     exec::PlainFormat("x", "scalar", "out"), exec::MaxRank("x", "scalar", "out"),
     exec::SizeInRange({exec::Length("x")}, 1, std::numeric_limits<int64_t>::max()).Status(exec::kNoPlan),
     exec::SameSize({exec::Length("x"), exec::Length("out")}).Status(exec::kNoPlan),
     exec::Custom("scalar: one element", FactorIsOneElement).Status(exec::kNoPlan),
     exec::ShapeIs("out", exec::SameShapeAs("x")).Status(exec::kNoPlan)});

inline constexpr const exec::Schema* kSchemas[] = {
    &kAdd,
    &kInplaceAdd,
    &kAdds,
    &kInplaceAdds,
    &kSub,
    &kInplaceSub,
    &kSubs,
    &kInplaceSubs,
    &kRsubs,
    &kMul,
    &kInplaceMul,
    &kMuls,
    &kInplaceMuls,
    &kDiv,
    &kInplaceDiv,
    &kDivs,
    &kInplaceDivs,
    &kMaximum,
    &kMinimum,
    &kDivMod,
    &kInplaceDivMod,
    &kDivMods,
    &kInplaceDivMods,
    &kFloorDivide,
    &kFmodTensor,
    &kRemainderTensorTensor,
    &kGcd,
    &kForeachMulScalar,
};

}  // namespace portacl::ops::arithmetic
