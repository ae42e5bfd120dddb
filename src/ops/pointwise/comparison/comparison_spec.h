// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/binary_schema.h"

namespace portacl::ops::comparison {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kEqual = kReal | kComplex;         // that can be equal
inline constexpr exec::DtypeSet kOrdered = kReal | kWideUnsigned;  // that have an order

// A header has the operator and the one that writes over its first operand.
consteval BinaryRow Row(const char* api, const char* formula, const char* special, const char* header,
                        exec::DtypeSet dtypes) {
  return {.about = {.api = api,
                    .library = "opapi_math",
                    .formula = formula,
                    .special = special,
                    .header = header,
                    .products = kMost},
          .dtypes = dtypes,
          .results = kAll,
          .gives_bool = true};
}

inline constexpr BinaryRow kEqTensorRow =
    Row("aclnnEqTensor", "1 where self equals other, else 0", "NaN differs from every number; +0 equals -0.",
        "aclnn_eq_tensor.h", kEqual);
inline constexpr exec::SchemaOf kEqTensor(Binary(kEqTensorRow));
inline constexpr exec::SchemaOf kInplaceEqTensor(InplaceBinary(kEqTensorRow.Inplace("aclnnInplaceEqTensor", true)));
inline constexpr BinaryRow kEqScalarRow =
    Row("aclnnEqScalar", "1 where self equals other, else 0", "NaN differs from every number; +0 equals -0.",
        "aclnn_eq_scalar.h", kEqual);
inline constexpr exec::SchemaOf kEqScalar(WithScalar(kEqScalarRow));
inline constexpr exec::SchemaOf kInplaceEqScalar(InplaceWithScalar(kEqScalarRow.Inplace("aclnnInplaceEqScalar")));

inline constexpr BinaryRow kNeTensorRow =
    Row("aclnnNeTensor", "1 where self differs from other, else 0", "NaN differs from every number; +0 equals -0.",
        "aclnn_ne_tensor.h", kEqual);
inline constexpr exec::SchemaOf kNeTensor(Binary(kNeTensorRow));
inline constexpr exec::SchemaOf kInplaceNeTensor(InplaceBinary(kNeTensorRow.Inplace("aclnnInplaceNeTensor")));
inline constexpr BinaryRow kNeScalarRow =
    Row("aclnnNeScalar", "1 where self differs from other, else 0", "NaN differs from every number; +0 equals -0.",
        "aclnn_ne_scalar.h", kEqual);
inline constexpr exec::SchemaOf kNeScalar(WithScalar(kNeScalarRow));
inline constexpr exec::SchemaOf kInplaceNeScalar(InplaceWithScalar(kNeScalarRow.Inplace("aclnnInplaceNeScalar")));

inline constexpr BinaryRow kGtTensorRow = Row("aclnnGtTensor", "1 where self is greater than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_gt_tensor.h", kOrdered);
inline constexpr exec::SchemaOf kGtTensor(Binary(kGtTensorRow));
inline constexpr exec::SchemaOf kInplaceGtTensor(InplaceBinary(kGtTensorRow.Inplace("aclnnInplaceGtTensor")));
inline constexpr BinaryRow kGtScalarRow = Row("aclnnGtScalar", "1 where self is greater than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_gt_scalar.h", kOrdered);
inline constexpr exec::SchemaOf kGtScalar(WithScalar(kGtScalarRow));
inline constexpr exec::SchemaOf kInplaceGtScalar(InplaceWithScalar(kGtScalarRow.Inplace("aclnnInplaceGtScalar")));

inline constexpr BinaryRow kGeTensorRow = Row("aclnnGeTensor", "1 where self is not less than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_ge_tensor.h", kOrdered);
inline constexpr exec::SchemaOf kGeTensor(Binary(kGeTensorRow));
inline constexpr exec::SchemaOf kInplaceGeTensor(InplaceBinary(kGeTensorRow.Inplace("aclnnInplaceGeTensor")));
inline constexpr BinaryRow kGeScalarRow = Row("aclnnGeScalar", "1 where self is not less than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_ge_scalar.h", kOrdered);
inline constexpr exec::SchemaOf kGeScalar(WithScalar(kGeScalarRow));
inline constexpr exec::SchemaOf kInplaceGeScalar(InplaceWithScalar(kGeScalarRow.Inplace("aclnnInplaceGeScalar")));

inline constexpr BinaryRow kLtTensorRow = Row("aclnnLtTensor", "1 where self is less than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_lt_tensor.h", kOrdered);
inline constexpr exec::SchemaOf kLtTensor(Binary(kLtTensorRow));
inline constexpr exec::SchemaOf kInplaceLtTensor(InplaceBinary(kLtTensorRow.Inplace("aclnnInplaceLtTensor")));
inline constexpr BinaryRow kLtScalarRow = Row("aclnnLtScalar", "1 where self is less than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_lt_scalar.h", kOrdered);
inline constexpr exec::SchemaOf kLtScalar(WithScalar(kLtScalarRow));
inline constexpr exec::SchemaOf kInplaceLtScalar(InplaceWithScalar(kLtScalarRow.Inplace("aclnnInplaceLtScalar")));

inline constexpr BinaryRow kLeTensorRow = Row("aclnnLeTensor", "1 where self is not greater than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_le_tensor.h", kOrdered);
inline constexpr exec::SchemaOf kLeTensor(Binary(kLeTensorRow));
inline constexpr exec::SchemaOf kInplaceLeTensor(InplaceBinary(kLeTensorRow.Inplace("aclnnInplaceLeTensor")));
inline constexpr BinaryRow kLeScalarRow = Row("aclnnLeScalar", "1 where self is not greater than other, else 0",
                                              "Comparisons with NaN give 0.", "aclnn_le_scalar.h", kOrdered);
inline constexpr exec::SchemaOf kLeScalar(WithScalar(kLeScalarRow));
inline constexpr exec::SchemaOf kInplaceLeScalar(InplaceWithScalar(kLeScalarRow.Inplace("aclnnInplaceLeScalar")));

inline constexpr BinaryRow kLogicalAndRow = Row("aclnnLogicalAnd", "1 where self and other are true, else 0",
                                                "What is not 0 is true, NaN included.", "aclnn_logical_and.h", kReal);
inline constexpr exec::SchemaOf kLogicalAnd(Binary(kLogicalAndRow));
inline constexpr exec::SchemaOf kInplaceLogicalAnd(InplaceBinary(kLogicalAndRow.Inplace("aclnnInplaceLogicalAnd")));

inline constexpr BinaryRow kLogicalOrRow = Row("aclnnLogicalOr", "1 where self or other is true, else 0",
                                               "What is not 0 is true, NaN included.", "aclnn_logical_or.h", kReal);
inline constexpr exec::SchemaOf kLogicalOr(Binary(kLogicalOrRow));
inline constexpr exec::SchemaOf kInplaceLogicalOr(InplaceBinary(kLogicalOrRow.Inplace("aclnnInplaceLogicalOr")));

inline constexpr BinaryRow kLogicalXorRow = Row("aclnnLogicalXor", "1 where one of self and other is true, else 0",
                                                "What is not 0 is true, NaN included.", "aclnn_logical_xor.h", kReal);
inline constexpr exec::SchemaOf kLogicalXor(Binary(kLogicalXorRow));
inline constexpr exec::SchemaOf kInplaceLogicalXor(InplaceBinary(kLogicalXorRow.Inplace("aclnnInplaceLogicalXor")));

inline constexpr UnaryRow kLogicalNotRow = {.about = {.api = "aclnnLogicalNot",
                                                      .library = "opapi_math",
                                                      .formula = "1 where self is 0, else 0",
                                                      .special = "NaN gives 0.",
                                                      .header = "aclnn_logical_not.h",
                                                      .products = kMost},
                                            .dtypes = kReal,
                                            .results = kReal,
                                            .gives_bool = true};
inline constexpr exec::SchemaOf kLogicalNot(Unary(kLogicalNotRow));
inline constexpr exec::SchemaOf kInplaceLogicalNot(InplaceUnary(kLogicalNotRow.Inplace("aclnnInplaceLogicalNot",
                                                                                       kReal)));

inline constexpr const exec::Schema* kSchemas[] = {
    &kEqTensor,   &kInplaceEqTensor,   &kEqScalar,  &kInplaceEqScalar,  &kNeTensor,   &kInplaceNeTensor,
    &kNeScalar,   &kInplaceNeScalar,   &kGtTensor,  &kInplaceGtTensor,  &kGtScalar,   &kInplaceGtScalar,
    &kGeTensor,   &kInplaceGeTensor,   &kGeScalar,  &kInplaceGeScalar,  &kLtTensor,   &kInplaceLtTensor,
    &kLtScalar,   &kInplaceLtScalar,   &kLeTensor,  &kInplaceLeTensor,  &kLeScalar,   &kInplaceLeScalar,
    &kLogicalAnd, &kInplaceLogicalAnd, &kLogicalOr, &kInplaceLogicalOr, &kLogicalXor, &kInplaceLogicalXor,
    &kLogicalNot, &kInplaceLogicalNot};

}  // namespace portacl::ops::comparison
