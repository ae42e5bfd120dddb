// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnTriangularSolve: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/movement.h"

namespace portacl::ops::triangular_solve {

/// The last two axes of A have the size of the last but one axis of self.
aclnnStatus CheckMatrix(const exec::Arguments& arguments, const exec::Step& step);
/// The other axes of self and A, broadcast, followed by the last two axes of self, or of A.
bool SolutionShape(const exec::Arguments& arguments, Shape* shape);
bool TriangleShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kComputed = {ACL_FLOAT, ACL_DOUBLE};
inline constexpr exec::DtypeSet kListed = kComputed | families::kComplex;

inline constexpr const char* kTerm = "what errors of n 2^-53 in the sum of each row become by substitution, times 2^53";

PORTACL_ROW(TriangularSolve, opapi_math, "aclnn_triangular_solve.h",
            exec::MakeRecipe(
                {.formula = "xOut with T xOut = self, for each matrix in the last two axes; T is the triangle of A "
                            "that upper names, the transpose of it where transpose is true, its diagonal 1 where "
                            "unitriangular is; mOut = that triangle of A with its own diagonal, and 0",
                 .special = "Elements of A outside the triangle, and a diagonal taken for 1, are not used for xOut. An "
                            "element 0 on the diagonal gives infinities and NaN.",
                 .accuracy = {exec::Ulp("xOut", {ACL_DOUBLE}, 1).OfTerm(kTerm),
                              exec::Ulp("xOut", {ACL_FLOAT}, 0.51).OfTerm("2^-20 of the same"), exec::Exact("mOut")},
                 .socs = families::kNot310P},
                {exec::In("self"), exec::In("A"), exec::Attribute("upper", exec::ValueKind::kBool),
                 exec::Attribute("transpose", exec::ValueKind::kBool),
                 exec::Attribute("unitriangular", exec::ValueKind::kBool), exec::Out("xOut"), exec::Out("mOut")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "A", "xOut", "mOut"), exec::OnSocs(),
                 exec::DtypeOneOf({"self"}, kListed), families::ComputedDtypes({"self"}, kListed, kComputed),
                 exec::SameDtype("self", "A", "xOut", "mOut"), exec::PlainFormat("self", "A", "xOut", "mOut"),
                 exec::Rank({"self", "A", "xOut", "mOut"}, 2, kMaxRank),
                 exec::Custom("A: square matrices, with as many rows as those of self", CheckMatrix),
                 families::ShapeFrom("xOut: the first axes of self and A, broadcast, and the last two of self", "xOut",
                                     SolutionShape),
                 families::ShapeFrom("mOut: the same axes, and the last two of A", "mOut", TriangleShape)}));

}  // namespace portacl::ops::triangular_solve
