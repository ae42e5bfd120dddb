// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "base/dtype.h"
#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/movement.h"
#include "families/part_dtype.h"

namespace portacl::ops::factorization {

/// The last two axes of self have the same size.
aclnnStatus CheckSquare(const exec::Arguments& arguments, const exec::Step& step);
/// The axes of self without the last two.
bool BatchShape(const exec::Arguments& arguments, Shape* shape);
/// Q has the shape that mode requires; if mode requires none, it has no elements.
aclnnStatus CheckQ(const exec::Arguments& arguments, const exec::Step& step);
bool ShapeOfQ(const exec::Arguments& arguments, Shape* shape);
bool ShapeOfR(const exec::Arguments& arguments, Shape* shape);

/// logOut has the dtype of self, or that of its real part.
inline aclnnStatus CheckLog(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType self = arguments.Tensor(0).dtype;
  const int out = arguments.schema().Find("logOut");
  const aclDataType dtype = arguments.Tensor(out).dtype;
  if (dtype == self || dtype == families::PartDtype(self)) return exec::kSuccess;
  return arguments.Refuse(step, out, DtypeName(families::PartDtype(self)), DtypeName(dtype));
}

/// The values of LinalgQr's mode.
enum Mode : int64_t { kReduced, kComplete, kOnlyR };

inline constexpr exec::DtypeSet kShort = {ACL_FLOAT, ACL_FLOAT16};
inline constexpr exec::DtypeSet kLong = {ACL_FLOAT, ACL_DOUBLE};
inline constexpr exec::DtypeSet kDtypes = kShort | kLong;
inline constexpr exec::DtypeSet kDeterminants = kLong | families::kComplex;

inline constexpr exec::Step kIsSquare = exec::Custom("self: square matrices, its last two axes", CheckSquare);

PORTACL_ROW(
    Inverse, opapi_math, "aclnn_inverse.h",
    exec::MakeRecipe(
        {.formula = "the inverse of each matrix in the last two axes of self",
         .special = "A singular matrix, one with a pivot of 0, gives infinities and NaN. A NaN in a matrix makes its "
                    "whole inverse NaN.",
         .accuracy = {exec::Ulp("out", {ACL_DOUBLE}, 1)
                          .OfTerm("n^2 times the largest |self| times the sums of |out| along its row and its column"),
                      exec::Ulp("out", kShort, 0.51).OfTerm("2^-20 of the same")},
         .socs = families::kNewer},
        {exec::In("self"), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnSocs(),
         exec::DtypeOneOf({"self"}, kDtypes), exec::SameDtype("self", "out"), exec::PlainFormat("self", "out"),
         exec::Rank({"self"}, 2, kMaxRank), exec::MaxRank("out"), kIsSquare,
         exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("out")}));

inline constexpr const char* kErrorOfDeterminant = "n^2 times the largest |self| times the sum of |the inverse|";
inline constexpr const char* kUnresolvedSigns = "anything where the term of logOut in DOUBLE is 2^45 or more";

PORTACL_ROW(
    Slogdet, opapi_math, "aclnn_slogdet.h",
    exec::MakeRecipe(
        {.formula =
             "signOut = the sign of the determinant of each matrix in the last two axes of self; logOut = the "
             "logarithm of its modulus; the sign of a complex determinant is the determinant divided by its modulus",
         .special = "A singular matrix, one with a pivot of 0, gives 0 and -inf; one with a NaN gives NaN; an empty "
                    "one gives 1 and 0.",
         .accuracy = {exec::Ulp("signOut", kLong, 0.5).OfTerm(kUnresolvedSigns),
                      exec::Ulp("signOut", {ACL_COMPLEX128}, 4).OfTerm(kErrorOfDeterminant),
                      exec::Ulp("signOut", {ACL_COMPLEX64}, 0.51).OfTerm("2^-20 of the same"),
                      exec::Ulp("logOut", {ACL_DOUBLE}, 2).OfTerm(kErrorOfDeterminant),
                      exec::Ulp("logOut", {ACL_COMPLEX128}, 4).OfTerm(kErrorOfDeterminant),
                      exec::Ulp("logOut", {ACL_FLOAT, ACL_COMPLEX64}, 0.51).OfTerm("2^-20 of the same")},
         .socs = families::kMost},
        {exec::In("self"), exec::Out("signOut"), exec::Out("logOut")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "signOut", "logOut"), exec::OnSocs(),
         exec::DtypeOneOf({"self"}, kDeterminants), exec::SameDtype("self", "signOut"),
         exec::DtypeOneOf({"logOut"}, kDeterminants),
         exec::Custom("logOut: the dtype of self, or of its parts", CheckLog),
         exec::PlainFormat("self", "signOut", "logOut"), exec::Rank({"self"}, 2, kMaxRank),
         exec::MaxRank("signOut", "logOut"), kIsSquare,
         families::ShapeFrom("signOut: shape of self without its last two axes", "signOut", BatchShape),
         families::ShapeFrom("logOut: shape of self without its last two axes", "logOut", BatchShape),
         exec::EmptySucceeds("signOut")}));

inline constexpr exec::SocSet kOlder = {SocFamily::kAscend910B, SocFamily::kAscend910_93, SocFamily::kAscend910};

PORTACL_ROW(
    LinalgQr, opapi_math, "aclnn_linalg_qr.h",
    exec::MakeRecipe(
        {.formula = "Q and R with Q R = each matrix, m x n, in the last two axes of self; Q has orthonormal columns, R "
                    "no elements below its diagonal. With k = min(m, n): mode 0, m x k and k x n; 1, m x m and m x n; "
                    "2, only R, k x n",
         .special =
             "Signs are those of Householder's reflections in LAPACK: an element on the diagonal of R is negative "
             "where the column that is left began with a number that is not, and something was below it; where all "
             "that is left is rounding, so is its sign. An infinite or NaN element makes all of Q and R NaN.",
         .accuracy = {exec::Ulp("Q", {ACL_DOUBLE}, 1)
                          .OfTerm("m n times the condition of the first k columns of self, each divided by its norm"),
                      exec::Ulp("Q", kShort, 0.51).OfTerm("2^-20 of the same"),
                      exec::Ulp("R", {ACL_DOUBLE}, 1).OfTerm("the same times the column's norm in self"),
                      exec::Ulp("R", kShort, 0.51).OfTerm("2^-20 of that")},
         .socs = kOlder},
        {exec::In("self"), exec::Attribute("mode", exec::ValueKind::kInt64), exec::Out("Q"), exec::Out("R")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "Q", "R"), exec::OnSocs(),
         exec::DtypeOneOf({"self"}, kDtypes), exec::SameDtype("self", "Q", "R"), exec::PlainFormat("self", "Q", "R"),
         exec::Rank({"self"}, 2, kMaxRank), exec::MaxRank("Q", "R"),
         exec::ValueOneOf("mode", {kReduced, kComplete, kOnlyR}),
         exec::Custom("Q: m x k where mode is 0, m x m where it is 1, no elements where it is 2", CheckQ)
             .Accepts("Q", ShapeOfQ),
         families::ShapeFrom("R: k x n, m x n where mode is 1", "R", ShapeOfR)}));

}  // namespace portacl::ops::factorization
