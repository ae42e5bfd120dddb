// SPDX-License-Identifier: Apache-2.0
//
// What aclnnReal accepts: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/part_dtype.h"

namespace portacl::ops::real {

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
     exec::Custom("out: the dtype of the real part of self", families::CheckPart), exec::PlainFormat("self", "out"),
     exec::MaxRank("self", "out"), exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")});

inline constexpr const exec::Schema* kSchemas[] = {&kReal};

}  // namespace portacl::ops::real
