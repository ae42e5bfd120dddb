// SPDX-License-Identifier: Apache-2.0
//
// The schemas of the operators of this room: data for checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::@room@ {

PORTACL_ROW(@Name@, opapi_nn, "aclnn_@room@.h",
            exec::MakeRecipe({.formula = "not written yet",
                              .special = "Not written yet: what NaN, infinities and the like give.",
                              .accuracy = {exec::Ulp("out", families::kFloats3, 1)},
                              .socs = families::kNewer},
                             {exec::In("self"), exec::Out("out")},
                             {exec::NotNull("self", "out"), exec::NotNull("executor", "workspaceSize"),
                              exec::OnSocs(), families::Dtypes({"self", "out"}, families::kFloats3),
                              exec::SameDtype("self", "out"), exec::PlainFormat("self", "out"),
                              exec::MaxRank("self", "out"), exec::ShapeIs("out", exec::SameShapeAs("self")),
                              exec::EmptySucceeds("self")}));

}  // namespace portacl::ops::@room@
