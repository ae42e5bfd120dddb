// SPDX-License-Identifier: Apache-2.0
// Shapes and dtypes computed from other arguments. Checks compare with them; tools, tests and fuzzers make operands
// with them.
#pragma once

#include <string>

#include "exec/arguments.h"
#include "exec/schema.h"
#include "tensor/view.h"

namespace portacl::exec {

// Why a rule has no result: the arguments that it reads do not fit together.
struct ShapeProblem {
  int arg = -1;
  int element = -1;
  std::string expected;
  std::string got;
};

// The shape that a ShapeIs step requires; the largest if it accepts several. Returns false and fills `problem` when
// there is none. The operands that the rule reads have passed their Rank steps.
bool EvaluateRule(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem);

// The axis that an attribute names for a tensor of that rank; -1 when it names none.
inline int AxisOf(int64_t dim, int32_t rank) {
  if (dim < -rank || dim >= rank) return -1;
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

// The axes, a bit each, that `dims` names for a tensor of that rank; all axes if it is empty. Values that name no axis
// are ignored.
inline uint32_t AxesOf(std::span<const int64_t> dims, int32_t rank) {
  uint32_t axes = dims.empty() ? (1U << rank) - 1 : 0;
  for (const int64_t dim : dims) {
    if (const int axis = AxisOf(dim, rank); axis >= 0) axes |= 1U << axis;
  }
  return axes;
}

// The same for an attribute that holds an integer or an array.
uint32_t AxesOf(const Value& dims, int32_t rank);

// The tensor to whose rank an axis attribute refers: in a list the first tensor that is not [0].
const Operand& AxisOwner(const Arguments& arguments, int arg);

inline namespace v1 {

// The shape that the schema requires for the tensor `arg`, which may still be null, or for one of a list; any of them
// if it accepts several. False when no step determines it, or the arguments that the rule reads are not acceptable.
PORTACL_EXPORT bool ComputeShape(const Schema& schema, int arg, std::span<const Value> values, Shape* shape,
                                 int element = 0) noexcept;

// The dtype that the schema requires for the tensor `arg`, which may still be null. If a step ties it to other
// arguments, it is theirs; otherwise that of the first tensor, if allowed, or the first allowed one.
PORTACL_EXPORT aclDataType ComputeDtype(const Schema& schema, int arg, std::span<const Value> values) noexcept;

}  // namespace v1
}  // namespace portacl::exec
