// SPDX-License-Identifier: Apache-2.0
//
// The schema of the operator of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "base/dtype.h"
#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::complex {

inline aclnnStatus CheckMadeOfReal(const exec::Arguments& arguments, const exec::Step& step);

PORTACL_ROW(
    Complex, opapi_math, "aclnn_complex.h",
    exec::MakeRecipe(
        {.formula = "out = real + imag * sqrt(-1)",
         .special = "Both parts keep the bits of the operands, those of NaN and of subnormals included.",
         .accuracy = {exec::Exact("out")},
         .socs = families::kMost},
        {exec::In("real"), exec::In("imag"), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("real", "imag", "out"), exec::OnSocs(),
         // Checked before everything else: on SoCs that have the operator, an empty call is never refused.
         exec::EmptySucceeds("real", "imag"), exec::DtypeOneOf({"real"}, {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16}),
         exec::SameDtype("real", "imag"), exec::DtypeOneOf({"out"}, {ACL_COMPLEX64, ACL_COMPLEX128, ACL_COMPLEX32}),
         exec::Custom("out: COMPLEX64 for FLOAT, COMPLEX128 for DOUBLE, COMPLEX32 for FLOAT16", CheckMadeOfReal),
         exec::PlainFormat("real", "imag", "out"), exec::MaxRank("real", "imag", "out"),
         exec::ShapeIs("out", exec::BroadcastOf("real", "imag"))}));

constexpr aclDataType MadeOf(aclDataType part) {
  return part == ACL_FLOAT ? ACL_COMPLEX64 : part == ACL_DOUBLE ? ACL_COMPLEX128 : ACL_COMPLEX32;
}

inline aclnnStatus CheckMadeOfReal(const exec::Arguments& arguments, const exec::Step& step) {
  const int out = kComplex.Index("out");
  const aclDataType part = arguments.Tensor(kComplex.Index("real")).dtype;
  const aclDataType dtype = arguments.Tensor(out).dtype;
  if (dtype == MadeOf(part)) return exec::kSuccess;
  return arguments.Refuse(step, out, DtypeName(MadeOf(part)), dtype);
}

}  // namespace portacl::ops::complex
