// SPDX-License-Identifier: Apache-2.0
// Rules for shapes: how the library evaluates each.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "exec/shape_rule.h"
#include "exec/shape_text.h"
#include "exec/words/check.h"
#include "tensor/array.h"

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

bool EvaluateBroadcast(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
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
  // A reduced result has one element, whatever its rank; an expanded operand may have any element count.
  int64_t count = 0;
  if (CountElements(shape->span(), &count)) return true;
  return Fail(problem, step.refs[1].index, -1, "a shape whose broadcast has fewer than 2^63 elements",
              ShapeText(shape->span()));
}

// The axis that the attribute in step.target names in a tensor of `rank`.
bool FindAxis(const Arguments& arguments, const Step& step, int32_t rank, int* axis, ShapeProblem* problem) {
  const int64_t dim = arguments.value(step.target.index).integer();
  *axis = AxisOf(dim, rank);
  return *axis >= 0 || Fail(problem, step.target.index, -1, fmt::format("an axis of a tensor of rank {}", rank),
                            fmt::format("{}", dim));
}

bool EvaluateHalf(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
  const View& view = arguments.Tensor(step.refs[1].index);
  int axis = 0;
  if (!FindAxis(arguments, step, view.rank, &axis, problem)) return false;
  CopyDims(view.dims(), shape);
  shape->dims[axis] /= 2;
  return true;
}

bool IsLegacyEmpty(const Operand& operand) { return operand.rank == 1 && operand.view.shape[0] == 0; }

bool EvaluateConcat(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
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

bool CopyShape(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem*) {
  CopyDims(arguments.Tensor(step.refs[1].index).dims(), shape);
  return true;
}

bool AcceptsNoOther(const Arguments&, const Step&, std::span<const int64_t>, const Shape&) { return false; }

int64_t TargetValue(const Arguments& arguments, const Step& step) {
  return arguments.value(step.target.index).integer();
}

// Whether the attribute refs[place] is present and true.
bool IsSet(const Arguments& arguments, const Step& step, int place) {
  return place < step.refs.count && arguments.value(step.refs[place].index).integer() != 0;
}

bool EvaluateReduced(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem*) {
  const View& view = arguments.Tensor(step.refs[1].index);
  uint32_t axes = AxesOf(std::span<const int64_t>(), view.rank);
  if (step.target.name != nullptr) axes = AxesOf(arguments.value(step.target.index), view.rank);
  if (IsSet(arguments, step, 3) && arguments.value(step.target.index).As<const aclIntArray*>()->values().empty())
    axes = 0;
  const bool keeps = IsSet(arguments, step, 2);
  shape->rank = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    const bool is_reduced = (axes >> axis & 1) != 0;
    if (!is_reduced || keeps) shape->dims[shape->rank++] = is_reduced ? 1 : view.shape[axis];
  }
  return true;
}

bool IsOneElement(std::span<const int64_t> dims) { return dims.empty() || (dims.size() == 1 && dims[0] == 1); }

}  // namespace

const Operand& AxisOwner(const Arguments& arguments, int arg) {
  const auto operands = arguments.Operands(arg);
  for (const Operand& operand : operands) {
    if (!IsLegacyEmpty(operand)) return operand;
  }
  return operands.front();
}

const ShapeRuleCheck kSameShapeAsRule = {
    .evaluate = CopyShape,
    .accepts = AcceptsNoOther,
    .expected =
        [](const Arguments&, const Step&, const Shape& shape, const std::string& names) {
          return fmt::format("{} (shape of {})", ShapeText(shape.span()), names);
        },
};

const ShapeRuleCheck kBroadcastOfRule = {
    .evaluate = EvaluateBroadcast,
    .accepts = AcceptsNoOther,
    .expected =
        [](const Arguments&, const Step&, const Shape& shape, const std::string& names) {
          return fmt::format("{} (broadcast of {})", ShapeText(shape.span()), names);
        },
};

const ShapeRuleCheck kBroadcastsToRule = {
    .evaluate = CopyShape,
    .accepts =
        [](const Arguments&, const Step&, std::span<const int64_t> dims, const Shape& shape) {
          if (dims.size() > shape.span().size()) return false;
          const auto last = shape.span().last(dims.size());
          return std::ranges::equal(dims, last, [](int64_t a, int64_t b) { return a == b || a == 1; });
        },
    .expected =
        [](const Arguments&, const Step&, const Shape& shape, const std::string& names) {
          return fmt::format("{} (shape of {}, or one that broadcasts to it)", ShapeText(shape.span()), names);
        },
};

const ShapeRuleCheck kHalfAlongRule = {
    .evaluate = EvaluateHalf,
    .accepts = AcceptsNoOther,
    .expected =
        [](const Arguments& arguments, const Step& step, const Shape& shape, const std::string& names) {
          return fmt::format("{} (shape of {}, half of it along axis {})", ShapeText(shape.span()), names,
                             TargetValue(arguments, step));
        },
};

const ShapeRuleCheck kConcatOfRule = {
    .evaluate = EvaluateConcat,
    .accepts = AcceptsNoOther,
    .expected =
        [](const Arguments& arguments, const Step& step, const Shape& shape, const std::string& names) {
          return fmt::format("{} ({} joined along axis {})", ShapeText(shape.span()), names,
                             TargetValue(arguments, step));
        },
};

const ShapeRuleCheck kReducedBroadcastOfRule = {
    .evaluate =
        [](const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
          if (!EvaluateBroadcast(arguments, step, shape, problem)) return false;
          if (TargetValue(arguments, step) != 0) *shape = Shape();
          return true;
        },
    .accepts =
        [](const Arguments& arguments, const Step& step, std::span<const int64_t> dims, const Shape&) {
          return TargetValue(arguments, step) != 0 && std::ranges::all_of(dims, [](int64_t n) { return n == 1; });
        },
    .expected =
        [](const Arguments& arguments, const Step& step, const Shape& shape, const std::string& names) {
          if (TargetValue(arguments, step) != 0) return fmt::format("one element ('{}' reduces)", step.target.name);
          return fmt::format("{} (broadcast of {})", ShapeText(shape.span()), names);
        },
};

const ShapeRuleCheck kReducedAlongRule = {
    .evaluate = EvaluateReduced,
    .accepts = [](const Arguments&, const Step&, std::span<const int64_t> dims,
                  const Shape& shape) { return IsOneElement(dims) && IsOneElement(shape.span()); },
    .expected =
        [](const Arguments&, const Step& step, const Shape& shape, const std::string& names) {
          return fmt::format("{} ({} along {})", ShapeText(shape.span()), names,
                             step.target.name != nullptr ? step.target.name : "all axes");
        },
};

}  // namespace portacl::exec
