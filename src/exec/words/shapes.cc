// SPDX-License-Identifier: Apache-2.0
// Checks of the words about the shape of tensors, and about the length of arrays and lists.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "exec/shape_text.h"
#include "exec/words/check.h"
#include "tensor/array.h"

namespace portacl::exec {
namespace {

// Also called before the Rank step; a shape that this step will refuse counts as one with elements.
bool HasNoElements(const Operand& operand) {
  if (operand.tensor == nullptr || operand.rank > kMaxRank) return false;
  return std::ranges::find(operand.view.dims(), 0) != operand.view.dims().end();
}

// The same shape, compared without making a Shape: most operands have this word.
bool IsShapeOf(const Arguments& arguments, const Step& step) {
  const View& a = arguments.Tensor(step.refs[0].index);
  const View& b = arguments.Tensor(step.refs[1].index);
  bool same = a.rank == b.rank;
  for (int axis = 0; same && axis < a.rank; ++axis)
    same = a.shape[axis] == b.shape[axis];  // too short for memcmp to be faster
  return same;
}

// The tensors of a list have the same shapes as those of another list, up to the shorter length: another word compares
// the lengths.
aclnnStatus CheckShapesOfList(const Arguments& arguments, const Step& step) {
  const int arg = step.refs[0].index, other = step.refs[1].index;
  const int count = std::min(arguments.Count(arg), arguments.Count(other));
  for (int i = 0; i < count; ++i) {
    const auto dims = arguments.Tensor(arg, i).dims(), want = arguments.Tensor(other, i).dims();
    if (std::ranges::equal(dims, want)) continue;
    return arguments.Refuse(step, arg, fmt::format("{} (shape of '{}[{}]')", ShapeText(want), step.refs[1].name, i),
                            ShapeText(dims), i);
  }
  return kSuccess;
}

// The size that a Ref names; nullopt when the operand is absent or has no such axis.
std::optional<int64_t> SizeOf(const Arguments& arguments, const Ref& ref) {
  const Value& value = arguments.value(ref.index);
  if (value.IsNull()) return std::nullopt;
  if (ref.axis != kArrayLength) {
    const Operand& operand = arguments.operand(arguments.First(ref.index));
    const int axis = AxisOf(ref.axis, operand.view.rank);
    if (axis < 0) return std::nullopt;
    return operand.view.shape[axis];
  }
  switch (value.kind()) {
    case ValueKind::kTensorList:
      return arguments.Count(ref.index);
    case ValueKind::kScalarList:
      return static_cast<int64_t>(value.As<const aclScalarList*>()->values().size());
    case ValueKind::kIntArray:
      return static_cast<int64_t>(value.As<const aclIntArray*>()->values().size());
    case ValueKind::kFloatArray:
      return static_cast<int64_t>(value.As<const aclFloatArray*>()->values().size());
    case ValueKind::kBoolArray:
      return static_cast<int64_t>(value.As<const aclBoolArray*>()->values().size());
    default:
      return std::nullopt;
  }
}

std::string SizeText(const Ref& ref, int64_t size) {
  if (ref.axis == kArrayLength) return fmt::format("length {}", size);
  return fmt::format("{} along axis {}", size, ref.axis);
}

aclnnStatus CheckSizes(const Arguments& arguments, const Step& step, bool or_one) {
  const auto measure = SizeOf(arguments, step.refs[0]);
  if (!measure) return kSuccess;
  for (const Ref& ref : step.refs) {
    const auto size = SizeOf(arguments, ref);
    if (!size || *size == *measure || (or_one && *size == 1)) continue;
    return arguments.Refuse(step, ref.index,
                            fmt::format("{}{} (that of '{}')", *measure, or_one ? " or 1" : "", step.refs[0].name),
                            SizeText(ref, *size));
  }
  return kSuccess;
}

// The size that `step` requires for an input because it ties it to others; -1 if it ties none.
int64_t TiedSize(const Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    if (arguments.schema().args[static_cast<size_t>(ref.index)].role == Role::kOutput) continue;
    if (const auto size = SizeOf(arguments, ref)) return *size;
  }
  return -1;
}

}  // namespace

bool TieSizes(const Arguments& arguments, int arg, Shape* shape) {
  shape->rank = -1;
  for (const Step& step : arguments.schema().steps) {
    const Limits& limits = step.LimitsOn(arguments.soc().family);
    const auto names_it = [&](const Ref& ref) { return ref.index == arg; };
    if (step.word == Word::kRank && limits.low == limits.high && std::ranges::any_of(step.refs, names_it))
      shape->rank = static_cast<int32_t>(limits.low);
  }
  if (shape->rank < 0) return false;
  std::fill_n(shape->dims, shape->rank, int64_t{-1});
  for (const Step& step : arguments.schema().steps) {
    if (step.word != Word::kSameSize && step.word != Word::kSameSizeOrOne) continue;
    for (const Ref& ref : step.refs) {
      const int axis = ref.index == arg ? AxisOf(ref.axis, shape->rank) : -1;
      if (axis >= 0) shape->dims[axis] = TiedSize(arguments, step);
    }
  }
  return std::ranges::none_of(shape->span(), [](int64_t size) { return size < 0; });
}

aclnnStatus CheckRank(Arguments& arguments, const Step& step) {
  const Limits& limits = step.LimitsOn(arguments.soc().family);
  for (const Ref& ref : step.refs) {
    for (Operand& operand : arguments.Operands(ref.index)) {
      if (operand.tensor == nullptr) continue;
      const View& view = operand.view;
      const auto refuse = [&](std::string_view expected, const auto& got) {
        return arguments.Refuse(step, ref.index, expected, got, ElementOf(arguments, operand, ref.index));
      };
      if (operand.rank < limits.low || operand.rank > std::min<int64_t>(limits.high, kMaxRank)) {
        const auto expected = limits.low == limits.high ? fmt::format("rank {}", limits.low)
                                                        : fmt::format("a rank from {} to {}", limits.low, limits.high);
        return refuse(expected, fmt::format("rank {}", operand.rank));
      }
      const std::span<const int64_t> strides(view.strides, static_cast<size_t>(view.rank));
      int64_t signs = view.offset;  // negative when any of these values is negative
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
          return refuse("a dtype whose elements are whole bytes", view.dtype);
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

aclnnStatus CheckContiguous(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      const View& view = operand.view;
      if (operand.tensor == nullptr || IsContiguous(view)) continue;
      const std::span<const int64_t> strides(view.strides, static_cast<size_t>(view.rank));
      return arguments.Refuse(step, ref.index, "a contiguous tensor",
                              fmt::format("{} with strides {}", ShapeText(view.dims()), ShapeText(strides)),
                              ElementOf(arguments, operand, ref.index));
    }
  }
  return kSuccess;
}

aclnnStatus CheckNotEmptyAlong(Arguments& arguments, const Step& step) {
  const View& view = arguments.Tensor(step.refs[0].index);
  const bool is_all = step.target.name == nullptr;
  const uint32_t axes =
      is_all ? AxesOf(std::span<const int64_t>(), view.rank) : AxesOf(arguments.value(step.target.index), view.rank);
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] != 0 || (axes >> axis & 1) == 0) continue;
    return arguments.Refuse(step, step.refs[0].index, fmt::format("at least one element along axis {}", axis),
                            ShapeText(view.dims()));
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
  if (arguments.value(arg).kind() == ValueKind::kTensorList) return CheckShapesOfList(arguments, step);
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

aclnnStatus CheckSizeInRange(Arguments& arguments, const Step& step) {
  const Limits& limits = step.LimitsOn(arguments.soc().family);
  for (const Ref& ref : step.refs) {
    const auto size = SizeOf(arguments, ref);
    if (!size || (*size >= limits.low && *size <= limits.high)) continue;
    const auto expected = *size < limits.low
                              ? fmt::format("at least {}", limits.low)
                              : fmt::format("at most {} on {}", limits.high, arguments.soc().family_name);
    return arguments.Refuse(step, ref.index, expected, SizeText(ref, *size));
  }
  return kSuccess;
}

aclnnStatus CheckDivisibleAlong(Arguments& arguments, const Step& step) {
  const View& view = arguments.Tensor(step.refs[0].index);
  const int64_t divisor = step.LimitsOn(arguments.soc().family).low;
  const int axis = AxisOf(arguments.value(step.target.index).integer(), view.rank);
  if (axis < 0 || view.shape[axis] % divisor == 0) return kSuccess;
  return arguments.Refuse(step, step.refs[0].index, fmt::format("a multiple of {} along axis {}", divisor, axis),
                          ShapeText(view.dims()));
}

aclnnStatus CheckSameSize(Arguments& arguments, const Step& step) { return CheckSizes(arguments, step, false); }
aclnnStatus CheckSameSizeOrOne(Arguments& arguments, const Step& step) { return CheckSizes(arguments, step, true); }

}  // namespace portacl::exec
