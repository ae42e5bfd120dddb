// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnReal: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/part_dtype.h"

namespace portacl::ops::real {

inline constexpr exec::SocSet kSocs = {SocFamily::kAscend910B, SocFamily::kAscend910_93, SocFamily::kAscend910};

PORTACL_ROW(Real, opapi_math, "aclnn_real.h",
            exec::MakeRecipe({.formula = "the real part of self", .accuracy = {exec::Exact("out")}, .socs = kSocs},
                             {exec::In("self"), exec::Out("out")},
                             {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnSocs(),
                              exec::DtypeOneOf({"self"}, {ACL_FLOAT, ACL_FLOAT16, ACL_COMPLEX64, ACL_COMPLEX128}),
                              exec::DtypeOneOf({"out"}, {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}),
                              exec::Custom("out: the dtype of the real part of self", families::CheckPart),
                              exec::PlainFormat("self", "out"), exec::MaxRank("self", "out"),
                              exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")}));

}  // namespace portacl::ops::real
