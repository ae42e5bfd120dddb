// SPDX-License-Identifier: Apache-2.0
// Schemas of the gradients of pointwise operators: gradOutput and a saved tensor in, the gradient of the input out.
#pragma once

#include "families/binary_schema.h"

namespace portacl::families {

// How the two inputs go together.
enum class Saved : uint8_t {
  kAlike,      // all three have one dtype and one shape
  kSameShape,  // dtypes have a common one
  kBroadcast,  // shapes are broadcast, too
};

// `row.self` is gradOutput, `row.other` the saved tensor; `args` are those of the prototype, these two among them.
template <class... Args>
consteval auto Gradient(const BinaryRow& row, Saved saved, exec::Step attribute, Args... arguments) {
  const exec::Arg args[] = {arguments...};
  const bool alike = saved == Saved::kAlike;
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({arguments...}),
                              exec::OnSocs(),
                              Dtypes({row.self}, row.dtypes),
                              ComputedDtypes({row.self}, row.dtypes, row.computed),
                              Dtypes({row.other}, row.dtypes),
                              ComputedDtypes({row.other}, row.dtypes, row.computed),
                              Dtypes({row.out}, row.results),
                              ComputedDtypes({row.out}, row.results, row.computed),
                              ScalarsAreReal({arguments...}),
                              exec::SameDtype(row.self, row.other, row.out).If(alike),
                              exec::StoresTo({row.self, row.other}, row.out).If(!alike),
                              exec::PlainFormat(row.self, row.other, row.out),
                              exec::MaxRank(row.self, row.other, row.out),
                              attribute,
                              exec::ShapeIs(row.other, exec::SameShapeAs(row.self)).If(saved != Saved::kBroadcast),
                              exec::ShapeIs(row.out, exec::BroadcastOf(row.self, row.other)),
                              exec::EmptySucceeds(row.out)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, row.results & row.computed, row.errors);
  return PointwiseRecipe(about, args, steps);
}

}  // namespace portacl::families
