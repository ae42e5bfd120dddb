// SPDX-License-Identifier: Apache-2.0
// Schemas of operators that move elements, and the step with which most of them define the shape of their output.
#pragma once

#include <string_view>

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::families {

/// Refuses a tensor that is present and does not have the shape of Step::Accepts.
aclnnStatus CheckShape(const exec::Arguments& arguments, const exec::Step& step);

/// `out` has the shape that `shape` computes; `text` describes it.
consteval exec::Step ShapeFrom(const char* text, const char* out, exec::CustomShape shape) {
  return exec::Custom(text, CheckShape).Accepts(out, shape);
}

/// `shape` computes the largest shape that the data-dependent `out` may get. Phase 1 takes any other one, as clients that
/// have counted before pass what they need.
aclnnStatus CheckOperandsOfShape(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step RoomFor(const char* text, const char* out, exec::CustomShape shape) {
  return exec::Custom(text, CheckOperandsOfShape).Accepts(out, shape);
}

/// The dtype of the scalar `value` is one for numbers.
aclnnStatus CheckNumber(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step ValueIsNumber() { return exec::Custom("value: a number", CheckNumber); }

/// The attribute `dim` names an axis of the first tensor; a tensor of rank 0 counts as having one axis.
aclnnStatus CheckDim(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step DimIsAxis() { return exec::Custom("dim: an axis, also where there is but one element", CheckDim); }

/// The axis that the attribute names for a tensor of this rank, or -1 if there is none. Rank 0 counts as one axis.
inline int AxisIn(const exec::Arguments& arguments, const char* attribute, int32_t rank) {
  const int64_t dim = arguments.value(arguments.schema().Find(attribute)).integer();
  const int32_t axes = rank == 0 ? 1 : rank;
  if (dim < -axes || dim >= axes) return -1;
  return static_cast<int>(dim < 0 ? dim + axes : dim);
}

/// Sets a shape all of whose partial products fit int64.
inline void SetShape(std::span<const int64_t> dims, Shape* shape) {
  shape->rank = static_cast<int32_t>(dims.size());
  for (size_t axis = 0; axis < dims.size(); ++axis) shape->dims[axis] = dims[axis];
}

// The tensor that is read, the one that is written (in place: the same), and others.
struct Moved {
  const char* self = "self";
  const char* out = "out";
  const char* index = nullptr;  // names rows; null: there is none
  int highest_index_rank = 1;
  bool index_has_dtype = true;   // also if it has no elements
  const char* source = nullptr;  // has the rows that replace rows of self; null: there is none
  int lowest_rank = 0;           // of both tensors
  int highest_rank = kMaxRank;   // of the tensor that is read
};

/// Steps for null pointers, SoCs, dtypes, formats and ranks, followed by the operator's own steps.
template <size_t kArgs, size_t kChecks>
consteval auto Movement(const exec::About& row, const exec::Step& dtypes, const exec::Arg (&args)[kArgs],
                        const exec::Step (&checks)[kChecks], const Moved& tensors = {}) {
  exec::Step not_null{.word = exec::Word::kNotNull, .status = exec::kNullPointer};
  for (const exec::Arg& arg : args) {
    if (exec::IsPointer(arg.kind)) not_null.refs.items[not_null.refs.count++] = exec::Ref(arg.name);
  }
  exec::Recipe<kArgs, kChecks + 15> recipe{.about = row, .args = std::to_array(args), .steps = {}};
  if (row.accuracy.count == 0) recipe.about.accuracy = {exec::Exact(tensors.out)};
  const bool is_other = std::string_view(tensors.self) != tensors.out;
  const char* const index = tensors.index == nullptr ? tensors.out : tensors.index;
  const char* const source = tensors.source == nullptr ? tensors.out : tensors.source;
  const exec::Step common[] = {exec::NotNull("workspaceSize", "executor"),
                               not_null,
                               exec::OnSocs(),
                               dtypes,
                               exec::SameDtype(tensors.self, tensors.out).If(is_other),
                               exec::SameDtype(tensors.self, source).If(tensors.source != nullptr),
                               exec::DtypeOneOf({index}, {ACL_INT64, ACL_INT32})
                                   .UnlessEmpty(!tensors.index_has_dtype)
                                   .If(tensors.index != nullptr),
                               exec::PlainFormat(tensors.self),
                               exec::PlainFormat(index).If(tensors.index != nullptr),
                               exec::PlainFormat(source).If(tensors.source != nullptr),
                               exec::PlainFormat(tensors.out).If(is_other),
                               exec::Rank({tensors.self}, tensors.lowest_rank, tensors.highest_rank),
                               exec::Rank({index}, 0, tensors.highest_index_rank).If(tensors.index != nullptr),
                               exec::MaxRank(source).If(tensors.source != nullptr),
                               exec::Rank({tensors.out}, tensors.lowest_rank, kMaxRank).If(is_other)};
  size_t count = 0;
  for (const exec::Step& step : common) recipe.steps[count++] = step;
  for (const exec::Step& step : checks) recipe.steps[count++] = step;
  return recipe;
}

}  // namespace portacl::families
