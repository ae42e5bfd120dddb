// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::concat {

using exec::Attribute;
using exec::ValueKind;

/// All tensors have the same shape, and dim is an axis of out.
aclnnStatus TensorsStack(const exec::Arguments& arguments, const exec::Step& step);
bool StackShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kDtypes = families::kReal | exec::DtypeSet{ACL_COMPLEX64};

/// Null pointers, SoCs, dtypes and formats of a list that becomes one tensor; then the operator's own checks.
template <size_t kChecks>
consteval auto Joined(const exec::About& row, exec::DtypeSet dtypes, int low, int high,
                      const exec::Step (&checks)[kChecks]) {
  const exec::DtypeSet dtypes_of_950 = dtypes | families::kWideUnsigned;
  exec::Recipe<3, kChecks + 10> recipe{
      .about = row,
      .args = {exec::InList("tensors"), Attribute("dim", ValueKind::kInt64), exec::Out("out")},
      .steps = {}};
  recipe.about.accuracy = {exec::RoundedOnce("out")};
  recipe.about.socs = families::kMost;
  const exec::Step common[] = {exec::NotNull("workspaceSize", "executor"),
                               exec::NotNull("tensors", "out"),
                               exec::OnSocs(),
                               exec::SizeInRange({exec::Length("tensors")}, 1, std::numeric_limits<int64_t>::max()),
                               families::Dtypes({"tensors", "out"}, dtypes_of_950),
                               exec::DtypeOneOf({"tensors", "out"}, dtypes).On({SocFamily::kAscend950}, dtypes_of_950),
                               exec::PromotesOneOf({"tensors"}, dtypes).On({SocFamily::kAscend950}, dtypes_of_950),
                               exec::StoresTo({"tensors"}, "out"),
                               exec::PlainFormat("tensors", "out"),
                               exec::Rank({"tensors"}, low, high)};
  size_t count = 0;
  for (const exec::Step& step : common) recipe.steps[count++] = step;
  for (const exec::Step& step : checks) recipe.steps[count++] = step;
  return recipe;
}

PORTACL_ROW(Cat, opapi_math, "aclnn_cat.h",
            Joined({.formula = "the tensors one after the other along dim, each converted to the dtype of out",
                    .special = "Tensors of shape [0] are skipped."},
                   kDtypes, 1, kMaxRank,
                   {exec::MaxRank("out"), exec::DimInRange("dim", "tensors"),
                    exec::ShapeIs("out", exec::ConcatOf("tensors", "dim"))}));

PORTACL_ROW(
    Stack, opapi_nn, "aclnn_stack.h",
    Joined({.formula = "the tensors one after the other along a new axis dim, each converted to the dtype of out"},
           kDtypes | families::kComplex, 0, kMaxRank - 1,
           {exec::MaxRank("out"), exec::Custom("tensors: of one shape, dim an axis of out", TensorsStack),
            families::ShapeFrom("out: shape of tensors with the axis dim for their number", "out", StackShape)}));

}  // namespace portacl::ops::concat
