// SPDX-License-Identifier: Apache-2.0
//
// What aclnnReal accepts: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "base/dtype.h"
#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::real {

// The dtype of the real parts.
constexpr aclDataType PartOf(aclDataType dtype) {
  return dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}
inline aclnnStatus CheckPart(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType self = arguments.Tensor(arguments.schema().Find("self")).dtype;
  const int out = arguments.schema().Find("out");
  const aclDataType dtype = arguments.Tensor(out).dtype;
  if (dtype == PartOf(self)) return exec::kSuccess;
  return arguments.Refuse(step, out, DtypeName(PartOf(self)), DtypeName(dtype));
}

inline constexpr exec::ProductSet kProducts = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend910};

inline constexpr exec::SchemaOf kReal(
    {.api = "aclnnReal",
     .library = "opapi_math",
     .formula = "the real part of self",
     .header = "aclnn_real.h",
     .accuracy = {exec::Exact("out")},
     .products = kProducts},
    {exec::In("self"), exec::Out("out")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnProducts(),
     exec::DtypeOneOf({"self"}, {ACL_FLOAT, ACL_FLOAT16, ACL_COMPLEX64, ACL_COMPLEX128}),
     exec::DtypeOneOf({"out"}, {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}),
     exec::Custom("out: the dtype of the real part of self", CheckPart), exec::PlainFormat("self", "out"),
     exec::MaxRank("self", "out"), exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")});

inline constexpr const exec::Schema* kSchemas[] = {&kReal};

}  // namespace portacl::ops::real
