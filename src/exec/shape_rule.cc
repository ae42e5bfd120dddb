// SPDX-License-Identifier: Apache-2.0
#include "exec/shape_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace portacl::exec {
namespace {

void CopyDims(std::span<const int64_t> dims, Shape* shape) {
  shape->rank = static_cast<int32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), shape->dims);
}

bool Fail(ShapeProblem* problem, int arg, int element, std::string expected, std::string got) {
  *problem = {arg, element, std::move(expected), std::move(got)};
  return false;
}

bool Broadcast(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
  bool first = true;
  for (int r = 1; r < step.refs.count; ++r) {
    const int arg = step.refs[r].index;
    int element = 0;
    for (const Operand& operand : arguments.Operands(arg)) {
      if (operand.tensor != nullptr && first) {
        CopyDims(operand.view.dims(), shape);
        first = false;
      } else if (operand.tensor != nullptr) {
        const int32_t axis = BroadcastWith(shape, operand.view.dims());
        if (axis >= 0) {
          return Fail(problem, arg, element,
                      fmt::format("a shape that broadcasts with {} (axis {})", ShapeText(shape->span()), axis),
                      ShapeText(operand.view.dims()));
        }
      }
      ++element;
    }
  }
  // A reduced result has one element, however many there are; expanded operands may reach any number.
  int64_t count = 0;
  if (CountElements(shape->span(), &count)) return true;
  return Fail(problem, step.refs[1].index, -1, "a shape whose broadcast has fewer than 2^63 elements",
              ShapeText(shape->span()));
}

// The attribute in step.target as an axis of a tensor of `rank`.
bool FindAxis(const Arguments& arguments, const Step& step, int32_t rank, int* axis, ShapeProblem* problem) {
  const int64_t dim = arguments.value(step.target.index).integer();
  *axis = AxisOf(dim, rank);
  return *axis >= 0 || Fail(problem, step.target.index, -1, fmt::format("an axis of a tensor of rank {}", rank),
                            fmt::format("{}", dim));
}

bool Half(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
  const View& view = arguments.Tensor(step.refs[1].index);
  int axis = 0;
  if (!FindAxis(arguments, step, view.rank, &axis, problem)) return false;
  CopyDims(view.dims(), shape);
  shape->dims[axis] /= 2;
  return true;
}

bool IsLegacyEmpty(const Operand& operand) { return operand.rank == 1 && operand.view.shape[0] == 0; }

bool Concat(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
  const int arg = step.refs[1].index;
  const auto operands = arguments.Operands(arg);
  if (operands.empty()) return Fail(problem, arg, -1, "at least one tensor", "an empty list");
  const Operand& owner = AxisOwner(arguments, arg);
  int axis = 0;
  if (!FindAxis(arguments, step, owner.rank, &axis, problem)) return false;
  CopyDims(owner.view.dims(), shape);
  shape->dims[axis] = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const View& view = operands[i].view;
    if (IsLegacyEmpty(operands[i])) continue;
    bool fits = view.rank == shape->rank;
    for (int k = 0; fits && k < view.rank; ++k) fits = k == axis || view.shape[k] == shape->dims[k];
    if (!fits || __builtin_add_overflow(shape->dims[axis], view.shape[axis], &shape->dims[axis])) {
      return Fail(problem, arg, static_cast<int>(i),
                  fmt::format("{} except along axis {}", ShapeText(owner.view.dims()), axis), ShapeText(view.dims()));
    }
  }
  return true;
}

// Whether a rule of a room, which reads what it likes, finds every input.
bool MayBeRead(const Arguments& arguments) {
  const auto& args = arguments.schema().args;
  for (int arg = 0; arg < static_cast<int>(args.size()); ++arg) {
    const Arg& described = args[static_cast<size_t>(arg)];
    if (described.role == Role::kOutput) continue;
    if (!described.optional && arguments.IsNull(arg)) return false;
    if (!IsTensor(described.kind)) continue;
    for (const Operand& operand : arguments.Operands(arg)) {
      if (operand.rank > kMaxRank) return false;
    }
  }
  return true;
}

}  // namespace

int AxisOf(int64_t dim, int32_t rank) {
  if (dim < -rank || dim >= rank) return -1;
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

const Operand& AxisOwner(const Arguments& arguments, int arg) {
  const auto operands = arguments.Operands(arg);
  for (const Operand& operand : operands) {
    if (!IsLegacyEmpty(operand)) return operand;
  }
  return operands.front();
}

bool EvaluateRule(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
  switch (step.shape) {
    case ShapeWord::kSameShapeAs:
    case ShapeWord::kBroadcastsTo:
      CopyDims(arguments.Tensor(step.refs[1].index).dims(), shape);
      return true;
    case ShapeWord::kBroadcastOf:
      return Broadcast(arguments, step, shape, problem);
    case ShapeWord::kReducedBroadcastOf:
      if (!Broadcast(arguments, step, shape, problem)) return false;
      if (arguments.value(step.target.index).integer() != 0) *shape = Shape();
      return true;
    case ShapeWord::kHalfAlong:
      return Half(arguments, step, shape, problem);
    case ShapeWord::kConcatOf:
      return Concat(arguments, step, shape, problem);
  }
  return false;
}

inline namespace v1 {

bool ComputeShape(const Schema& schema, int arg, std::span<const Value> values, Shape* shape) noexcept {
  if (values.size() != schema.args.size()) return false;
  try {
    const Arguments arguments(schema, values, nullptr, nullptr);
    for (const Step& step : schema.steps) {
      if (!step.TellsShapeOf(arg)) continue;
      if (step.custom_shape != nullptr) return MayBeRead(arguments) && step.custom_shape(arguments, shape);
      for (int r = 1; r < step.refs.count; ++r) {
        const int read = step.refs[r].index;
        const bool optional = schema.args[static_cast<size_t>(read)].optional;
        for (const Operand& operand : arguments.Operands(read)) {
          if ((operand.tensor == nullptr && !optional) || operand.rank > kMaxRank) return false;
        }
      }
      ShapeProblem problem;
      return EvaluateRule(arguments, step, shape, &problem);
    }
  } catch (...) {
  }
  return false;
}

}  // namespace v1
}  // namespace portacl::exec
