// SPDX-License-Identifier: Apache-2.0
// Schemas of gradients of pointwise operators: the inputs are gradOutput and a saved tensor, the output is the gradient
// of the input.
#pragma once

#include "families/binary_schema.h"

namespace portacl::families {

// The relation between the two inputs.
enum class Saved : uint8_t {
  kAlike,      // all three tensors have the same dtype and shape
  kSameShape,  // the inputs have a common dtype and the same shape
  kBroadcast,  // the inputs are also broadcast
};

// `row.self` is gradOutput, `row.other` the saved tensor. `arguments` are those of the prototype, including these two.
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
