// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"

namespace portacl::ops::@room@ {

inline constexpr exec::SchemaOf k@Room@(
    {.api = "@api@",
     .library = "opapi_nn",
     .formula = "not written yet",
     .source = "not written yet",
     .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 1)}},
    {exec::In("self"), exec::Out("out")},
    {exec::NotNull("self", "out"), exec::NotNull("executor", "workspaceSize"),
     exec::DtypeOneOf({"self", "out"}, {ACL_FLOAT}), exec::SameDtype("self", "out"), exec::PlainFormat("self", "out"),
     exec::MaxRank("self", "out"), exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")});

}  // namespace portacl::ops::@room@
