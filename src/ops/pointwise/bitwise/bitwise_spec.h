// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/binary_schema.h"

namespace portacl::ops::bitwise {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

consteval BinaryRow Row(const char* formula) {
  return {.about = {.formula = formula,
                    .special = "BOOL counts as 0 or 1. Floating operands are refused, scalars included.",
                    .socs = kMost},
          .dtypes = kWhole,
          .promoted = kWhole,
          .results = kWhole};
}
// An integer may be stored as a floating number.
consteval BinaryRow ScalarRow(const char* formula) {
  BinaryRow row = Row(formula);
  row.results = kWhole | kFloats4;
  return row;
}
consteval BinaryRow InplaceAnd(BinaryRow row) {
  row.about.socs = kNot310P;
  return row.Inplace(true);
}

inline constexpr const char* kAnd = "the bits that are set in both self and other";
PORTACL_ROW(BitwiseAndTensor, opapi_math, "aclnn_bitwise_and_tensor.h", Binary(Row(kAnd)));
PORTACL_ROW(InplaceBitwiseAndTensor, opapi_math, "aclnn_bitwise_and_tensor.h", InplaceBinary(InplaceAnd(Row(kAnd))));
PORTACL_ROW(BitwiseAndScalar, opapi_math, "aclnn_bitwise_and_scalar.h", WithScalar(ScalarRow(kAnd)));
PORTACL_ROW(InplaceBitwiseAndScalar, opapi_math, "aclnn_bitwise_and_scalar.h",
            InplaceWithScalar(InplaceAnd(Row(kAnd))));

inline constexpr const char* kOr = "the bits that are set in self or other";
PORTACL_ROW(BitwiseOrTensor, opapi_math, "aclnn_bitwise_or_tensor.h", Binary(Row(kOr)));
PORTACL_ROW(InplaceBitwiseOrTensor, opapi_math, "aclnn_bitwise_or_tensor.h", InplaceBinary(Row(kOr).Inplace()));
PORTACL_ROW(BitwiseOrScalar, opapi_math, "aclnn_bitwise_or_scalar.h", WithScalar(ScalarRow(kOr)));
PORTACL_ROW(InplaceBitwiseOrScalar, opapi_math, "aclnn_bitwise_or_scalar.h", InplaceWithScalar(Row(kOr).Inplace()));

inline constexpr const char* kXor = "the bits that differ between self and other";
PORTACL_ROW(BitwiseXorTensor, opapi_math, "aclnn_bitwise_xor_tensor.h", Binary(Row(kXor)));
PORTACL_ROW(InplaceBitwiseXorTensor, opapi_math, "aclnn_bitwise_xor_tensor.h", InplaceBinary(Row(kXor).Inplace()));
PORTACL_ROW(BitwiseXorScalar, opapi_math, "aclnn_bitwise_xor_scalar.h", WithScalar(ScalarRow(kXor)));
PORTACL_ROW(InplaceBitwiseXorScalar, opapi_math, "aclnn_bitwise_xor_scalar.h", InplaceWithScalar(Row(kXor).Inplace()));

}  // namespace portacl::ops::bitwise
