// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnEinsum: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::einsum {

inline constexpr const char* kOuter = "a,b->ab";
inline constexpr const char* kContraction = "abcd,abced->abce";

/// The equation is one of these two.
aclnnStatus CheckEquation(const exec::Arguments& arguments, const exec::Step& step);
/// The tensors have the axes of the equation, and axes with the same letter have the same size.
aclnnStatus CheckLetters(const exec::Arguments& arguments, const exec::Step& step);
bool OutputShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kFloats = {ACL_FLOAT, ACL_FLOAT16};
inline constexpr exec::DtypeSet kWhole = families::kIntegers | families::kWideUnsigned;

PORTACL_ROW(Einsum, opapi_math, "aclnn_einsum.h",
            exec::MakeRecipe(
                {.formula = "where equation is \"a,b->ab\", the products of each element of one vector and each of the "
                            "other; where it is \"abcd,abced->abce\", the sums over d of such products",
                 .special = "Integers wrap modulo 2^n. An empty sum is 0.",
                 .accuracy = {exec::Ulp("output", kFloats, 0.51).OfTerm("2^-16 of the sum of the terms' magnitudes"),
                              {"output", kWhole, exec::ErrorUnit::kBits, 0, 0}},
                 .socs = families::kNot910},
                {exec::InList("tensors"), exec::Attribute("equation", exec::ValueKind::kString), exec::Out("output")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("tensors", "equation", "output"),
                 exec::OnSocs(), exec::SizeInRange({exec::Length("tensors")}, 2, 2),
                 exec::DtypeOneOf({"tensors"}, kFloats | kWhole), exec::SameDtype("tensors", "output"),
                 exec::PlainFormat("tensors", "output"), exec::Rank({"tensors"}, 1, 5), exec::MaxRank("output"),
                 exec::Custom("equation: a,b->ab or abcd,abced->abce", CheckEquation),
                 exec::Custom("tensors: the axes of equation, one size for a letter", CheckLetters),
                 families::ShapeFrom("output: the axes after the arrow", "output", OutputShape),
                 exec::EmptySucceeds("output")}));

}  // namespace portacl::ops::einsum
