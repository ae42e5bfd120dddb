// SPDX-License-Identifier: Apache-2.0
// Schemas of gradients of pointwise operators: the inputs are gradOutput and a saved tensor, the output is the gradient
// of the input.
#pragma once

#include "families/pointwise_schema.h"

namespace portacl::families {

// The relation between the two inputs.
enum class Saved : uint8_t {
  kAlike,      // all three tensors have the same dtype and shape
  kSameShape,  // the inputs have a common dtype and the same shape
  kBroadcast,  // the inputs are also broadcast
};

struct GradientRow {
  exec::About about;
  exec::DtypeSet dtypes;  // dtypes of all three tensors
  Errors errors = kExact;
  const char* saved = "self";
  const char* out = "out";
};

// `arguments` are those of the prototype, including the tensors.
template <class... Args>
consteval auto Gradient(const GradientRow& row, Saved saved, exec::Step attribute, Args... arguments) {
  const exec::Arg args[] = {arguments...};
  const bool alike = saved == Saved::kAlike;
  const char* const grad = "gradOutput";
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({arguments...}),
                              exec::OnSocs(),
                              Dtypes({grad}, row.dtypes),
                              Dtypes({row.saved}, row.dtypes),
                              Dtypes({row.out}, row.dtypes),
                              ScalarsAreReal({arguments...}),
                              exec::SameDtype(grad, row.saved, row.out).If(alike),
                              exec::StoresTo({grad, row.saved}, row.out).If(!alike),
                              exec::PlainFormat(grad, row.saved, row.out),
                              exec::MaxRank(grad, row.saved, row.out),
                              attribute,
                              exec::ShapeIs(row.saved, exec::SameShapeAs(grad)).If(saved != Saved::kBroadcast),
                              exec::ShapeIs(row.out, exec::BroadcastOf(grad, row.saved)),
                              exec::EmptySucceeds(row.out)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, row.dtypes, row.errors);
  return PointwiseRecipe(about, args, steps);
}

}  // namespace portacl::families
