// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"

namespace portacl::ops::@room@ {

inline constexpr exec::DtypeSet k@Room@Dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

inline constexpr exec::SchemaOf k@Room@(
    {.api = "@api@",
     .library = "opapi_nn",
     .formula = "not written yet",
     .source = "not written yet",
     .accuracy = {exec::Ulp("out", k@Room@Dtypes, 1)},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950}},
    {exec::In("self"), exec::Out("out")},
    {exec::NotNull("self", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnProducts(),
     exec::DtypeOneOf({"self", "out"}, k@Room@Dtypes), exec::SameDtype("self", "out"), exec::PlainFormat("self", "out"),
     exec::MaxRank("self", "out"), exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")});

}  // namespace portacl::ops::@room@
