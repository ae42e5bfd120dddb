// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. Each result element is an
// element of one operand, or a constant.
#pragma once

#include "families/binary_schema.h"
#include "families/list_schema.h"

namespace portacl::ops::selection {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNumbers = kFloats4 | kIntegers;
inline constexpr exec::DtypeSet kSelected = kReal | kWideUnsigned;
inline constexpr const char* kNanOfEither = "NaN where one is NaN.";

inline constexpr UnaryRow kClampRow = {
    .about = {.formula = "the smaller of clipValueMax and the larger of self and clipValueMin",
              .special = "NaN where self or a bound is NaN; clipValueMax where clipValueMin is greater.",
              .socs = kMost},
    .dtypes = kNumbers,
    .results = kNumbers,
    .scalars_promote = true};
PORTACL_ROW(Clamp, opapi_math, "aclnn_clamp.h",
            Unary(kClampRow, exec::OptionalScalar("clipValueMin"), exec::OptionalScalar("clipValueMax")));

inline constexpr UnaryRow kClampMinRow = {
    .about = {.formula = "the larger of self and clipValueMin", .special = kNanOfEither, .socs = kMost},
    .dtypes = kNumbers,
    .results = kNumbers,
    .scalars_promote = true};
PORTACL_ROW(ClampMin, opapi_math, "aclnn_clamp.h", Unary(kClampMinRow, exec::Scalar("clipValueMin")));

inline constexpr UnaryRow kClampMaxRow = {
    .about = {.formula = "the smaller of self and clipValueMax", .special = kNanOfEither, .socs = kMost},
    .dtypes = kNumbers,
    .results = kNumbers,
    .scalars_promote = true};
PORTACL_ROW(ClampMax, opapi_math, "aclnn_clamp.h", Unary(kClampMaxRow, exec::Scalar("clipValueMax")));
PORTACL_ROW(InplaceClampMax, opapi_math, "aclnn_clamp.h",
            InplaceUnary(kClampMaxRow.Inplace(kNumbers, "selfRef", true), exec::Scalar("clipValueMax")));

PORTACL_ROW(ClampTensor, opapi_math, "aclnn_clamp.h",
            PointwiseRecipe({.formula = "the smaller of clipValueMax and the larger of self and clipValueMin",
                             .special = "NaN where one is NaN; clipValueMax where clipValueMin is greater.",
                             .accuracy = {exec::Exact("out")},
                             .socs = kMost},
                            {exec::In("self"), exec::OptionalIn("clipValueMin"), exec::OptionalIn("clipValueMax"),
                             exec::Out("out")},
                            {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"),
                             exec::NotAllNull("clipValueMin", "clipValueMax"), exec::OnSocs(),
                             Dtypes({"self"}, kNumbers), Dtypes({"clipValueMin"}, kNumbers),
                             Dtypes({"clipValueMax"}, kNumbers), Dtypes({"out"}, kNumbers),
                             exec::StoresTo({"self", "clipValueMin", "clipValueMax"}, "out"),
                             exec::PlainFormat("self", "clipValueMin", "clipValueMax", "out"),
                             exec::MaxRank("self", "clipValueMin", "clipValueMax", "out"),
                             exec::ShapeIs("out", exec::BroadcastOf("self", "clipValueMin", "clipValueMax")),
                             exec::EmptySucceeds("out")}));

inline constexpr BinaryRow kClampMinTensorRow = {
    .about = {.formula = "the larger of self and clipValueMin", .special = kNanOfEither, .socs = kMost},
    .dtypes = kNumbers,
    .results = kNumbers,
    .other = "clipValueMin"};
PORTACL_ROW(ClampMinTensor, opapi_math, "aclnn_clamp.h", Binary(kClampMinTensorRow));
PORTACL_ROW(InplaceClampMinTensor, opapi_math, "aclnn_clamp.h", InplaceBinary(kClampMinTensorRow.Inplace()));

inline constexpr BinaryRow kClampMaxTensorRow = {
    .about = {.formula = "the smaller of self and max", .special = kNanOfEither, .socs = kMost},
    .dtypes = kNumbers,
    .results = kNumbers,
    .other = "max"};
PORTACL_ROW(ClampMaxTensor, opapi_math, "aclnn_clamp.h", Binary(kClampMaxTensorRow));
PORTACL_ROW(InplaceClampMaxTensor, opapi_math, "aclnn_clamp.h", InplaceBinary(kClampMaxTensorRow.Inplace()));

inline constexpr UnaryRow kThresholdRow = {
    .about = {.formula = "value where self <= threshold, else self", .special = "NaN gives NaN.", .socs = kNot310P},
    .dtypes = kFloats3 | kIntegers,
    .results = kFloats3 | kIntegers,
    .scalars_promote = true};
PORTACL_ROW(Threshold, opapi_nn, "aclnn_threshold.h",
            Unary(kThresholdRow, exec::Scalar("threshold"), exec::Scalar("value")));
PORTACL_ROW(InplaceThreshold, opapi_nn, "aclnn_threshold.h",
            InplaceUnary(kThresholdRow.Inplace(kFloats3 | kIntegers), exec::Scalar("threshold"),
                         exec::Scalar("value")));

PORTACL_ROW(
    SWhere, opapi_math, "aclnn_s_where.h",
    PointwiseRecipe(
        {.formula = "self where condition is not 0, else other", .accuracy = {exec::Exact("out")}, .socs = kMost},
        {exec::In("condition"), exec::In("self"), exec::In("other"), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("condition", "self", "other", "out"), exec::OnSocs(),
         exec::DtypeOneOf({"condition"}, {ACL_BOOL, ACL_UINT8}), Dtypes({"self"}, kSelected),
         Dtypes({"other"}, kSelected), Dtypes({"out"}, kSelected), exec::StoresTo({"self", "other"}, "out"),
         exec::PlainFormat("condition", "self", "other", "out"), exec::MaxRank("condition", "self", "other", "out"),
         exec::ShapeIs("out", exec::BroadcastOf("condition", "self", "other")), exec::EmptySucceeds("out")}));

PORTACL_ROW(Heaviside, opapi_math, "aclnn_heaviside.h",
            Binary({.about = {.formula = "0 where input < 0, values where input is 0, else 1",
                              .special = "NaN of input gives NaN.",
                              .socs = {SocFamily::kAscend910B, SocFamily::kAscend910_93}},
                    .dtypes = kFloats3,
                    .results = kFloats3,
                    .self = "input",
                    .other = "values",
                    .one_dtype = true}));

PORTACL_ROW(
    NanToNum, opapi_math, "aclnn_nan_to_num.h",
    Unary(
        {.about = {.formula = "nan where self is NaN, posinf where it is inf, neginf where it is -inf, else self",
                   .special = "nan, posinf and neginf are rounded to the dtype; one beyond its range becomes infinite.",
                   .socs = kNewer},
         .dtypes = kFloats3 | kIntegers | kBool},
        exec::Attribute("nan", exec::ValueKind::kFloat), exec::Attribute("posinf", exec::ValueKind::kFloat),
        exec::Attribute("neginf", exec::ValueKind::kFloat)));

inline constexpr ListRow kMaximumScalarRow = {"the larger of x and scalar", kNanOfEither, kListDtypes};
PORTACL_ROW(ForeachMaximumScalar, opapi_nn, "aclnn_foreach_maximum_scalar.h", ForeachScalar(kMaximumScalarRow));
PORTACL_ROW(ForeachMaximumScalarV2, opapi_nn, "aclnn_foreach_maximum_scalar_v2.h", ForeachScalarV2(kMaximumScalarRow));
PORTACL_ROW(ForeachMaximumScalarList, opapi_nn, "aclnn_foreach_maximum_scalar_list.h",
            ForeachScalarList({"the larger of x and scalars", kNanOfEither, kListDtypes}));
inline constexpr ListRow kMinimumScalarRow = {"the smaller of x and scalar", kNanOfEither, kListDtypes};
PORTACL_ROW(ForeachMinimumScalar, opapi_nn, "aclnn_foreach_minimum_scalar.h", ForeachScalar(kMinimumScalarRow));
PORTACL_ROW(ForeachMinimumScalarV2, opapi_nn, "aclnn_foreach_minimum_scalar_v2.h", ForeachScalarV2(kMinimumScalarRow));
PORTACL_ROW(ForeachMinimumScalarList, opapi_nn, "aclnn_foreach_minimum_scalar_list.h",
            ForeachScalarList({"the smaller of x and scalars", kNanOfEither, kListDtypes}));

}  // namespace portacl::ops::selection
