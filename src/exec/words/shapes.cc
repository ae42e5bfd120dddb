// SPDX-License-Identifier: Apache-2.0
// Checks of words about the shape of tensors.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/dtype.h"
#include "exec/words/check.h"

namespace portacl::exec {
namespace {

// Elements also before the Rank step; a shape that it will refuse counts as one with elements.
bool HasNoElements(const Operand& operand) {
  if (operand.tensor == nullptr || operand.rank > kMaxRank) return false;
  return std::ranges::find(operand.view.dims(), 0) != operand.view.dims().end();
}

// The same shape, without making a Shape of it: the word of most operands.
bool IsShapeOf(const Arguments& arguments, const Step& step) {
  const View& a = arguments.Tensor(step.refs[0].index);
  const View& b = arguments.Tensor(step.refs[1].index);
  bool same = a.rank == b.rank;
  for (int axis = 0; same && axis < a.rank; ++axis)
    same = a.shape[axis] == b.shape[axis];  // too short for memcmp to pay
  return same;
}

}  // namespace

aclnnStatus CheckRank(Arguments& arguments, const Step& step) {
  const Limits& limits = step.LimitsOn(arguments.product().family);
  for (const Ref& ref : step.refs) {
    for (Operand& operand : arguments.Operands(ref.index)) {
      if (operand.tensor == nullptr) continue;
      const View& view = operand.view;
      const auto refuse = [&](std::string_view expected, const std::string& got) {
        return arguments.Refuse(step, ref.index, expected, got, ElementOf(arguments, operand, ref.index));
      };
      if (operand.rank < limits.low || operand.rank > std::min<int64_t>(limits.high, kMaxRank)) {
        const auto expected = limits.low == limits.high ? fmt::format("rank {}", limits.low)
                                                        : fmt::format("a rank from {} to {}", limits.low, limits.high);
        return refuse(expected, fmt::format("rank {}", operand.rank));
      }
      const std::span<const int64_t> strides(view.strides, static_cast<size_t>(view.rank));
      int64_t signs = view.offset;  // negative when any of the numbers is
      for (int axis = 0; axis < view.rank; ++axis) signs |= view.shape[axis] | view.strides[axis];
      if (signs < 0) {
        if (std::ranges::any_of(view.dims(), [](int64_t n) { return n < 0; }))
          return refuse("dims of at least 0", ShapeText(view.dims()));
        if (view.offset < 0) return refuse("an offset of at least 0", fmt::format("{}", view.offset));
        return refuse("strides of at least 0", ShapeText(strides));
      }
      if (!ByteExtent(view, &operand.bytes)) {
        int64_t count = 0;
        if (!CountElements(view.dims(), &count))
          return refuse("a number of elements below 2^63", ShapeText(view.dims()));
        if (ElementBytes(view.dtype) == 0) {
          if ((step.dtype_is_later >> (&ref - step.refs.begin()) & 1) != 0) continue;
          return refuse("a dtype whose elements are whole bytes", DtypeName(view.dtype));
        }
        return refuse(
            "elements within 2^63 bytes",
            fmt::format("{} with strides {} and offset {}", ShapeText(view.dims()), ShapeText(strides), view.offset));
      }
    }
  }
  return kSuccess;
}

aclnnStatus CheckNotEmpty(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      if (!HasNoElements(operand)) continue;
      return arguments.Refuse(step, ref.index, "at least one element", ShapeText(operand.view.dims()),
                              ElementOf(arguments, operand, ref.index));
    }
  }
  return kSuccess;
}

aclnnStatus CheckEmptySucceeds(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      if (HasNoElements(operand)) return kEndsHere;
    }
  }
  return kSuccess;
}

aclnnStatus CheckShapeIs(Arguments& arguments, const Step& step) {
  const int arg = step.refs[0].index;
  const Operand& operand = arguments.operand(arguments.First(arg));
  if (operand.tensor == nullptr) return kSuccess;
  if (step.shape == ShapeWord::kSameShapeAs && IsShapeOf(arguments, step)) return kSuccess;
  Shape shape;
  ShapeProblem problem;
  if (!EvaluateRule(arguments, step, &shape, &problem))
    return arguments.Refuse(step, problem.arg, problem.expected, problem.got, problem.element);
  const auto dims = operand.view.dims();
  if (std::ranges::equal(dims, shape.span()) || RuleOf(step).accepts(arguments, step, dims, shape)) return kSuccess;
  return arguments.Refuse(step, arg, RuleOf(step).expected(arguments, step, shape, QuotedNames(step, 1)),
                          ShapeText(dims));
}

}  // namespace portacl::exec
