// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/binary_schema.h"

namespace portacl::ops::comparison {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kComparable = kReal | kComplex;    // dtypes that can be equal
inline constexpr exec::DtypeSet kOrdered = kReal | kWideUnsigned;  // dtypes that have an order

// A header declares the operator and its in-place form.
consteval BinaryRow Row(const char* formula, const char* special, exec::DtypeSet dtypes) {
  return {.about = {.formula = formula, .special = special, .socs = kMost},
          .dtypes = dtypes,
          .results = kAll,
          .gives_bool = true};
}

inline constexpr BinaryRow kEqTensorRow =
    Row("1 where self equals other, else 0", "NaN differs from every number; +0 equals -0.", kComparable);
PORTACL_ROW(EqTensor, opapi_math, "aclnn_eq_tensor.h", Binary(kEqTensorRow));
PORTACL_ROW(InplaceEqTensor, opapi_math, "aclnn_eq_tensor.h", InplaceBinary(kEqTensorRow.Inplace(true)));
inline constexpr BinaryRow kEqScalarRow =
    Row("1 where self equals other, else 0", "NaN differs from every number; +0 equals -0.", kComparable);
PORTACL_ROW(EqScalar, opapi_math, "aclnn_eq_scalar.h", WithScalar(kEqScalarRow));
PORTACL_ROW(InplaceEqScalar, opapi_math, "aclnn_eq_scalar.h", InplaceWithScalar(kEqScalarRow.Inplace()));

inline constexpr BinaryRow kNeTensorRow =
    Row("1 where self differs from other, else 0", "NaN differs from every number; +0 equals -0.", kComparable);
PORTACL_ROW(NeTensor, opapi_math, "aclnn_ne_tensor.h", Binary(kNeTensorRow));
PORTACL_ROW(InplaceNeTensor, opapi_math, "aclnn_ne_tensor.h", InplaceBinary(kNeTensorRow.Inplace()));
inline constexpr BinaryRow kNeScalarRow =
    Row("1 where self differs from other, else 0", "NaN differs from every number; +0 equals -0.", kComparable);
PORTACL_ROW(NeScalar, opapi_math, "aclnn_ne_scalar.h", WithScalar(kNeScalarRow));
PORTACL_ROW(InplaceNeScalar, opapi_math, "aclnn_ne_scalar.h", InplaceWithScalar(kNeScalarRow.Inplace()));

inline constexpr BinaryRow kGtTensorRow =
    Row("1 where self is greater than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(GtTensor, opapi_math, "aclnn_gt_tensor.h", Binary(kGtTensorRow));
PORTACL_ROW(InplaceGtTensor, opapi_math, "aclnn_gt_tensor.h", InplaceBinary(kGtTensorRow.Inplace()));
inline constexpr BinaryRow kGtScalarRow =
    Row("1 where self is greater than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(GtScalar, opapi_math, "aclnn_gt_scalar.h", WithScalar(kGtScalarRow));
PORTACL_ROW(InplaceGtScalar, opapi_math, "aclnn_gt_scalar.h", InplaceWithScalar(kGtScalarRow.Inplace()));

inline constexpr BinaryRow kGeTensorRow =
    Row("1 where self is not less than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(GeTensor, opapi_math, "aclnn_ge_tensor.h", Binary(kGeTensorRow));
PORTACL_ROW(InplaceGeTensor, opapi_math, "aclnn_ge_tensor.h", InplaceBinary(kGeTensorRow.Inplace()));
inline constexpr BinaryRow kGeScalarRow =
    Row("1 where self is not less than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(GeScalar, opapi_math, "aclnn_ge_scalar.h", WithScalar(kGeScalarRow));
PORTACL_ROW(InplaceGeScalar, opapi_math, "aclnn_ge_scalar.h", InplaceWithScalar(kGeScalarRow.Inplace()));

inline constexpr BinaryRow kLtTensorRow =
    Row("1 where self is less than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(LtTensor, opapi_math, "aclnn_lt_tensor.h", Binary(kLtTensorRow));
PORTACL_ROW(InplaceLtTensor, opapi_math, "aclnn_lt_tensor.h", InplaceBinary(kLtTensorRow.Inplace()));
inline constexpr BinaryRow kLtScalarRow =
    Row("1 where self is less than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(LtScalar, opapi_math, "aclnn_lt_scalar.h", WithScalar(kLtScalarRow));
PORTACL_ROW(InplaceLtScalar, opapi_math, "aclnn_lt_scalar.h", InplaceWithScalar(kLtScalarRow.Inplace()));

inline constexpr BinaryRow kLeTensorRow =
    Row("1 where self is not greater than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(LeTensor, opapi_math, "aclnn_le_tensor.h", Binary(kLeTensorRow));
PORTACL_ROW(InplaceLeTensor, opapi_math, "aclnn_le_tensor.h", InplaceBinary(kLeTensorRow.Inplace()));
inline constexpr BinaryRow kLeScalarRow =
    Row("1 where self is not greater than other, else 0", "Comparisons with NaN give 0.", kOrdered);
PORTACL_ROW(LeScalar, opapi_math, "aclnn_le_scalar.h", WithScalar(kLeScalarRow));
PORTACL_ROW(InplaceLeScalar, opapi_math, "aclnn_le_scalar.h", InplaceWithScalar(kLeScalarRow.Inplace()));

inline constexpr BinaryRow kLogicalAndRow =
    Row("1 where self and other are true, else 0", "What is not 0 is true, NaN included.", kReal);
PORTACL_ROW(LogicalAnd, opapi_math, "aclnn_logical_and.h", Binary(kLogicalAndRow));
PORTACL_ROW(InplaceLogicalAnd, opapi_math, "aclnn_logical_and.h", InplaceBinary(kLogicalAndRow.Inplace()));

inline constexpr BinaryRow kLogicalOrRow =
    Row("1 where self or other is true, else 0", "What is not 0 is true, NaN included.", kReal);
PORTACL_ROW(LogicalOr, opapi_math, "aclnn_logical_or.h", Binary(kLogicalOrRow));
PORTACL_ROW(InplaceLogicalOr, opapi_math, "aclnn_logical_or.h", InplaceBinary(kLogicalOrRow.Inplace()));

inline constexpr BinaryRow kLogicalXorRow =
    Row("1 where one of self and other is true, else 0", "What is not 0 is true, NaN included.", kReal);
PORTACL_ROW(LogicalXor, opapi_math, "aclnn_logical_xor.h", Binary(kLogicalXorRow));
PORTACL_ROW(InplaceLogicalXor, opapi_math, "aclnn_logical_xor.h", InplaceBinary(kLogicalXorRow.Inplace()));

inline constexpr UnaryRow kLogicalNotRow = {
    .about = {.formula = "1 where self is 0, else 0", .special = "NaN gives 0.", .socs = kMost},
    .dtypes = kReal,
    .results = kReal,
    .gives_bool = true};
PORTACL_ROW(LogicalNot, opapi_math, "aclnn_logical_not.h", Unary(kLogicalNotRow));
PORTACL_ROW(InplaceLogicalNot, opapi_math, "aclnn_logical_not.h", InplaceUnary(kLogicalNotRow.Inplace(kReal)));

PORTACL_ROW(IsClose, opapi_math, "aclnn_isclose.h",
            Binary({.about = {.formula = "1 where |self - other| <= atol + |rtol * other| or both are equal, else 0",
                              .special = "An infinite distance gives 0; two NaN give equal_nan. Computed in float32, "
                                         "for DOUBLE and integers in float64, the distance of integers without error.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .results = kBool,
                    .gives_bool = true,
                    .one_dtype = true,
                    .attribute = exec::ValueAtLeast({"rtol", "atol"}, 0)},
                   exec::Attribute("rtol", exec::ValueKind::kDouble), exec::Attribute("atol", exec::ValueKind::kDouble),
                   exec::Attribute("equal_nan", exec::ValueKind::kBool)));

PORTACL_ROW(Equal, opapi_math, "aclnn_equal.h",
            exec::MakeRecipe(
                {.formula = "whether self and other have the same shape and equal elements",
                 .special = "Elements are compared in the common dtype: NaN differs from every number; +0 equals -0. "
                            "Two tensors of one shape without elements are equal.",
                 .accuracy = {exec::Exact("out")},
                 .socs = kMost},
                {exec::In("self"), exec::In("other"), exec::Out("out")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "other", "out"), exec::OnSocs(),
                 Dtypes({"self"}, kOrdered), Dtypes({"other"}, kOrdered), exec::DtypeOneOf({"out"}, kBool),
                 exec::PromotesOneOf({"self", "other"}, kOrdered), exec::PlainFormat("self", "other", "out"),
                 exec::MaxRank("self", "other", "out"), exec::ShapeIs("out", exec::ReducedAlong("self"))}));

}  // namespace portacl::ops::comparison
