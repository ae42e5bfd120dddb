// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <fmt/format.h>

#include "base/dtype.h"
#include "exec/arguments.h"
#include "families/binary_schema.h"
#include "families/list_schema.h"
#include "tensor/promote.h"
#include "tensor/scalar.h"

namespace portacl::ops::power {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

// A power of integers with a negative exponent is not an integer. `step` names self and exponent.
inline aclnnStatus CheckExponent(const exec::Arguments& arguments, const exec::Step& step) {
  const int exponent = arguments.schema().Find("exponent");
  const aclScalar& scalar = *arguments.value(exponent).As<const aclScalar*>();
  const aclDataType common = PromoteWithScalar(arguments.Tensor(arguments.schema().Find("self")).dtype, scalar.dtype);
  int64_t value = 0;
  const bool is_negative = ScalarToInt64(scalar, &value) && value < 0;
  if (!kWhole.Holds(common) || !is_negative) return exec::kSuccess;
  return arguments.Refuse(step, exponent, fmt::format("0 or more (the common dtype is {})", DtypeName(common)),
                          fmt::format("{}", value));
}
inline constexpr exec::Step kExponent = exec::Custom("exponent: not below 0 for integers", CheckExponent);

inline constexpr exec::DtypeSet kNumbers = kReal | kComplex;
inline constexpr Errors kPowerErrors =
    Errors{1, 1, 0.51, 1, "of complex numbers the result's modulus, and that times the modulus of exponent * ln self"}
        .OfComplex(1, 5);
inline constexpr const char* kSpecial =
    "0^0 = 1; NaN where self is below 0 and exponent no whole number. A complex 0 gives 0 where the exponent's real "
    "part is above 0, else NaN. Integers wrap modulo 2^n; negative exponents give 1 for 1, 1 or -1 for -1, else 0.";

inline constexpr BinaryRow kPowTensorTensorRow = {.about = {.formula = "self^exponent", .special = kSpecial},
                                                  .promoted = kNumbers - kBool,
                                                  .errors = kPowerErrors,
                                                  .other = "exponent"};
PORTACL_ROW(PowTensorTensor, opapi_math, "aclnn_pow_tensor_tensor.h", Binary(kPowTensorTensorRow));
PORTACL_ROW(InplacePowTensorTensor, opapi_math, "aclnn_pow_tensor_tensor.h",
            InplaceBinary(kPowTensorTensorRow.Inplace(true, "self").Without(kBool)));

inline constexpr BinaryRow kPowTensorScalarRow = {
    .about = {.formula = "self^exponent",
              .special = "0^0 = 1; NaN where self is below 0 and exponent no whole number; an exponent of 0.5 gives "
                         "the square root: -0 for -0 and NaN for -inf. Integers wrap modulo 2^n.",
              .socs = kMost},
    .promoted = kNumbers - kBool,
    .errors = kPowerErrors,
    .other = "exponent",
    .odd_const = true,
    .attribute = kExponent};
PORTACL_ROW(PowTensorScalar, opapi_math, "aclnn_pow.h", WithScalar(kPowTensorScalarRow));
PORTACL_ROW(InplacePowTensorScalar, opapi_math, "aclnn_pow.h",
            InplaceWithScalar(kPowTensorScalarRow.Inplace(true, "self").Without(kBool)));

PORTACL_ROW(PowScalarTensor, opapi_math, "aclnn_pow.h",
            WithScalar({.about = {.formula = "self^exponent", .special = kSpecial, .socs = kMost},
                        .promoted = kNumbers - kBool,
                        .errors = kPowerErrors,
                        .self = "exponent",
                        .other = "self",
                        .odd_const = true,
                        .scalar_first = true}));

inline constexpr Errors kListErrors = {1, 1, 0.51, 1};
inline constexpr const char* kListSpecial =
    "0^0 = 1; NaN for a negative base and an exponent that is no whole number. Integers wrap modulo 2^n; negative "
    "exponents give 1 for 1, 1 or -1 for -1, else 0.";
PORTACL_ROW(ForeachPowList, opapi_nn, "aclnn_foreach_pow_list.h",
            ForeachBinary({"x1^x2", kListSpecial, kListDtypes, kListErrors}));
inline constexpr ListRow kPowScalarRow = {"x^scalar", kListSpecial, kListDtypes, kListErrors};
PORTACL_ROW(ForeachPowScalar, opapi_nn, "aclnn_foreach_pow_scalar.h", ForeachScalar(kPowScalarRow));
PORTACL_ROW(ForeachPowScalarV2, opapi_nn, "aclnn_foreach_pow_scalar_v2.h", ForeachScalarV2(kPowScalarRow));
PORTACL_ROW(ForeachPowScalarList, opapi_nn, "aclnn_foreach_pow_scalar_list.h",
            ForeachScalarList({"x^scalars", kListSpecial, kListDtypes, kListErrors}));
PORTACL_ROW(ForeachPowScalarAndTensor, opapi_nn, "aclnn_foreach_pow_scalar_and_tensor.h",
            Foreach({"scalar^x", kListSpecial, kListDtypes, kListErrors}, false, exec::Scalar("scalar"),
                    exec::InList("x"), kConstOuts));

}  // namespace portacl::ops::power
