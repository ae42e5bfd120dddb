// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers. They give one of their
// operands, or a constant, for each element.
#pragma once

#include "families/binary_schema.h"

namespace portacl::ops::selection {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNumbers = kFloats4 | kIntegers;
inline constexpr exec::DtypeSet kSelected = kReal | kWideUnsigned;
inline constexpr const char* kNanOfEither = "NaN where one is NaN.";

inline constexpr UnaryRow kClampRow = {
    .about = {.api = "aclnnClamp",
              .library = "opapi_math",
              .formula = "the smaller of clipValueMax and the larger of self and clipValueMin",
              .special = "NaN where self or a bound is NaN; clipValueMax where clipValueMin is greater.",
              .header = "aclnn_clamp.h",
              .products = kMost},
    .dtypes = kNumbers,
    .results = kNumbers,
    .scalars_promote = true};
inline constexpr exec::SchemaOf kClamp(Unary(kClampRow, exec::OptionalScalar("clipValueMin"),
                                             exec::OptionalScalar("clipValueMax")));

inline constexpr UnaryRow kClampMinRow = {.about = {.api = "aclnnClampMin",
                                                    .library = "opapi_math",
                                                    .formula = "the larger of self and clipValueMin",
                                                    .special = kNanOfEither,
                                                    .header = "aclnn_clamp.h",
                                                    .products = kMost},
                                          .dtypes = kNumbers,
                                          .results = kNumbers,
                                          .scalars_promote = true};
inline constexpr exec::SchemaOf kClampMin(Unary(kClampMinRow, exec::Scalar("clipValueMin")));

inline constexpr UnaryRow kClampMaxRow = {.about = {.api = "aclnnClampMax",
                                                    .library = "opapi_math",
                                                    .formula = "the smaller of self and clipValueMax",
                                                    .special = kNanOfEither,
                                                    .header = "aclnn_clamp.h",
                                                    .products = kMost},
                                          .dtypes = kNumbers,
                                          .results = kNumbers,
                                          .scalars_promote = true};
inline constexpr exec::SchemaOf kClampMax(Unary(kClampMaxRow, exec::Scalar("clipValueMax")));
inline constexpr exec::SchemaOf kInplaceClampMax(InplaceUnary(kClampMaxRow.Inplace("aclnnInplaceClampMax", kNumbers,
                                                                                   "selfRef", true),
                                                              exec::Scalar("clipValueMax")));

inline constexpr exec::SchemaOf kClampTensor(PointwiseRecipe(
    {.api = "aclnnClampTensor",
     .library = "opapi_math",
     .formula = "the smaller of clipValueMax and the larger of self and clipValueMin",
     .special = "NaN where one is NaN; clipValueMax where clipValueMin is greater.",
     .header = "aclnn_clamp.h",
     .accuracy = {exec::Exact("out")},
     .products = kMost},
    {exec::In("self"), exec::OptionalIn("clipValueMin"), exec::OptionalIn("clipValueMax"), exec::Out("out")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"),
     exec::NotAllNull("clipValueMin", "clipValueMax"), exec::OnProducts(), Dtypes({"self"}, kNumbers),
     Dtypes({"clipValueMin"}, kNumbers), Dtypes({"clipValueMax"}, kNumbers), Dtypes({"out"}, kNumbers),
     exec::StoresTo({"self", "clipValueMin", "clipValueMax"}, "out"),
     exec::PlainFormat("self", "clipValueMin", "clipValueMax", "out"),
     exec::MaxRank("self", "clipValueMin", "clipValueMax", "out"),
     exec::ShapeIs("out", exec::BroadcastOf("self", "clipValueMin", "clipValueMax")), exec::EmptySucceeds("out")}));

inline constexpr BinaryRow kClampMinTensorRow = {.about = {.api = "aclnnClampMinTensor",
                                                           .library = "opapi_math",
                                                           .formula = "the larger of self and clipValueMin",
                                                           .special = kNanOfEither,
                                                           .header = "aclnn_clamp.h",
                                                           .products = kMost},
                                                 .dtypes = kNumbers,
                                                 .results = kNumbers,
                                                 .other = "clipValueMin"};
inline constexpr exec::SchemaOf kClampMinTensor(Binary(kClampMinTensorRow));
inline constexpr exec::SchemaOf kInplaceClampMinTensor(
    InplaceBinary(kClampMinTensorRow.Inplace("aclnnInplaceClampMinTensor")));

inline constexpr BinaryRow kClampMaxTensorRow = {.about = {.api = "aclnnClampMaxTensor",
                                                           .library = "opapi_math",
                                                           .formula = "the smaller of self and max",
                                                           .special = kNanOfEither,
                                                           .header = "aclnn_clamp.h",
                                                           .products = kMost},
                                                 .dtypes = kNumbers,
                                                 .results = kNumbers,
                                                 .other = "max"};
inline constexpr exec::SchemaOf kClampMaxTensor(Binary(kClampMaxTensorRow));
inline constexpr exec::SchemaOf kInplaceClampMaxTensor(
    InplaceBinary(kClampMaxTensorRow.Inplace("aclnnInplaceClampMaxTensor")));

inline constexpr UnaryRow kThresholdRow = {.about = {.api = "aclnnThreshold",
                                                     .formula = "value where self <= threshold, else self",
                                                     .special = "NaN gives NaN.",
                                                     .header = "aclnn_threshold.h",
                                                     .products = kNot310P},
                                           .dtypes = kFloats3 | kIntegers,
                                           .results = kFloats3 | kIntegers,
                                           .scalars_promote = true};
inline constexpr exec::SchemaOf kThreshold(Unary(kThresholdRow, exec::Scalar("threshold"), exec::Scalar("value")));
inline constexpr exec::SchemaOf kInplaceThreshold(InplaceUnary(kThresholdRow.Inplace("aclnnInplaceThreshold",
                                                                                     kFloats3 | kIntegers),
                                                               exec::Scalar("threshold"), exec::Scalar("value")));

inline constexpr exec::SchemaOf kSWhere(PointwiseRecipe(
    {.api = "aclnnSWhere",
     .library = "opapi_math",
     .formula = "self where condition is not 0, else other",
     .header = "aclnn_s_where.h",
     .accuracy = {exec::Exact("out")},
     .products = kMost},
    {exec::In("condition"), exec::In("self"), exec::In("other"), exec::Out("out")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("condition", "self", "other", "out"), exec::OnProducts(),
     exec::DtypeOneOf({"condition"}, {ACL_BOOL, ACL_UINT8}), Dtypes({"self"}, kSelected), Dtypes({"other"}, kSelected),
     Dtypes({"out"}, kSelected), exec::StoresTo({"self", "other"}, "out"),
     exec::PlainFormat("condition", "self", "other", "out"), exec::MaxRank("condition", "self", "other", "out"),
     exec::ShapeIs("out", exec::BroadcastOf("condition", "self", "other")), exec::EmptySucceeds("out")}));

inline constexpr exec::SchemaOf kHeaviside(
    Binary({.about = {.api = "aclnnHeaviside",
                      .library = "opapi_math",
                      .formula = "0 where input < 0, values where input is 0, else 1",
                      .special = "NaN of input gives NaN.",
                      .header = "aclnn_heaviside.h",
                      .products = {Family::kAscend910B, Family::kAscend910_93}},
            .dtypes = kFloats3,
            .results = kFloats3,
            .self = "input",
            .other = "values",
            .one_dtype = true}));

inline constexpr exec::SchemaOf kNanToNum(Unary(
    {.about = {.api = "aclnnNanToNum",
               .library = "opapi_math",
               .formula = "nan where self is NaN, posinf where it is inf, neginf where it is -inf, else self",
               .special = "nan, posinf and neginf are rounded to the dtype; one beyond its range becomes infinite.",
               .header = "aclnn_nan_to_num.h",
               .products = kNewer},
     .dtypes = kFloats3 | kIntegers | kBool},
    exec::Attribute("nan", exec::ValueKind::kFloat), exec::Attribute("posinf", exec::ValueKind::kFloat),
    exec::Attribute("neginf", exec::ValueKind::kFloat)));

inline constexpr const exec::Schema* kSchemas[] = {&kClamp,
                                                   &kClampMin,
                                                   &kClampMax,
                                                   &kInplaceClampMax,
                                                   &kClampTensor,
                                                   &kClampMinTensor,
                                                   &kInplaceClampMinTensor,
                                                   &kClampMaxTensor,
                                                   &kInplaceClampMaxTensor,
                                                   &kThreshold,
                                                   &kInplaceThreshold,
                                                   &kSWhere,
                                                   &kHeaviside,
                                                   &kNanToNum};

}  // namespace portacl::ops::selection
