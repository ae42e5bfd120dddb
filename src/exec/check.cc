// SPDX-License-Identifier: Apache-2.0
// The engine: runs the steps of a schema. What passes allocates nothing and formats nothing.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>

#include "base/dtype.h"
#include "base/format.h"
#include "base/status.h"
#include "exec/arguments.h"
#include "exec/check_words.h"
#include "exec/shape_rule.h"
#include "tensor/object_pool.h"
#include "tensor/tensor.h"

namespace portacl::exec {
namespace {

// The element number for Refuse().
int ElementOf(const Arguments& arguments, const Operand& operand, int arg) {
  return static_cast<int>(&operand - &arguments.operand(arguments.First(arg)));
}

aclnnStatus CheckNotNull(const Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    if (arguments.IsNull(ref.index)) return arguments.Refuse(step, ref.index, "a pointer", "NULL");
    if (ref.index < 0 || !IsTensor(arguments.schema().args[static_cast<size_t>(ref.index)].kind)) continue;
    for (const Operand& operand : arguments.Operands(ref.index)) {
      const int element = ElementOf(arguments, operand, ref.index);
      if (operand.tensor == nullptr) return arguments.Refuse(step, ref.index, "a tensor", "NULL", element);
      if (!operand.tensor->alive())
        return arguments.Refuse(step, ref.index, "a live tensor", "a destroyed one", element);
    }
  }
  return kSuccess;
}

aclnnStatus CheckNotAllNull(const Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    if (!arguments.IsNull(ref.index)) return kSuccess;
  }
  std::string names;
  for (const Ref& ref : step.refs) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", ref.name);
  return arguments.Refuse(step, step.refs[0].index, fmt::format("at least one of {}", names), "NULL for all");
}

aclnnStatus CheckProduct(const Arguments& arguments, const Step& step) {
  if (arguments.schema().products.Holds(arguments.product().family)) return kSuccess;
  return RefuseProduct(arguments, step);
}

aclnnStatus CheckPlainFormat(const Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      if (operand.tensor == nullptr || IsPlainFormat(operand.view.format)) continue;
      return arguments.Refuse(step, ref.index, "format ND or one that only labels the axes",
                              FormatName(operand.view.format), ElementOf(arguments, operand, ref.index));
    }
  }
  return kSuccess;
}

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

// Elements also before the Rank step; a shape that it will refuse counts as one with elements.
bool HasNoElements(const Operand& operand) {
  if (operand.tensor == nullptr || operand.rank > kMaxRank) return false;
  return std::ranges::find(operand.view.dims(), 0) != operand.view.dims().end();
}

aclnnStatus CheckNotEmpty(const Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      if (!HasNoElements(operand)) continue;
      return arguments.Refuse(step, ref.index, "at least one element", ShapeText(operand.view.dims()),
                              ElementOf(arguments, operand, ref.index));
    }
  }
  return kSuccess;
}

bool IsEmpty(const Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    for (const Operand& operand : arguments.Operands(ref.index)) {
      if (HasNoElements(operand)) return true;
    }
  }
  return false;
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

bool BroadcastsTo(std::span<const int64_t> dims, std::span<const int64_t> shape) {
  if (dims.size() > shape.size()) return false;
  const auto last = shape.subspan(shape.size() - dims.size());
  return std::equal(dims.begin(), dims.end(), last.begin(), [](int64_t a, int64_t b) { return a == b || a == 1; });
}

std::string RuleText(const Arguments& arguments, const Step& step) {
  std::string names;
  for (int r = 1; r < step.refs.count; ++r) names += fmt::format("{}'{}'", r == 1 ? "" : ", ", step.refs[r].name);
  switch (step.shape) {
    case ShapeWord::kSameShapeAs:
      return "shape of " + names;
    case ShapeWord::kBroadcastsTo:
      return "shape of " + names + ", or one that broadcasts to it";
    case ShapeWord::kHalfAlong:
      return fmt::format("shape of {}, half of it along axis {}", names, arguments.value(step.target.index).integer());
    case ShapeWord::kConcatOf:
      return fmt::format("{} joined along axis {}", names, arguments.value(step.target.index).integer());
    case ShapeWord::kBroadcastOf:
    case ShapeWord::kReducedBroadcastOf:
      break;
  }
  return "broadcast of " + names;
}

aclnnStatus CheckShape(const Arguments& arguments, const Step& step) {
  const int arg = step.refs[0].index;
  const Operand& operand = arguments.operand(arguments.First(arg));
  if (operand.tensor == nullptr) return kSuccess;
  if (step.shape == ShapeWord::kSameShapeAs && IsShapeOf(arguments, step)) return kSuccess;
  Shape shape;
  ShapeProblem problem;
  if (!EvaluateRule(arguments, step, &shape, &problem)) {
    return arguments.Refuse(step, problem.arg, problem.expected, problem.got, problem.element);
  }
  const auto dims = operand.view.dims();
  if (step.shape == ShapeWord::kBroadcastsTo && BroadcastsTo(dims, shape.span())) return kSuccess;
  if (step.shape == ShapeWord::kReducedBroadcastOf && arguments.value(step.target.index).integer() != 0) {
    if (std::ranges::all_of(dims, [](int64_t n) { return n == 1; })) return kSuccess;
    return arguments.Refuse(step, arg, fmt::format("one element ('{}' reduces)", step.target.name), ShapeText(dims));
  }
  if (std::ranges::equal(dims, shape.span())) return kSuccess;
  return arguments.Refuse(step, arg, fmt::format("{} ({})", ShapeText(shape.span()), RuleText(arguments, step)),
                          ShapeText(dims));
}

// `current` is the step that is checked.
aclnnStatus RunSteps(Arguments& arguments, bool* empty, const Step** current) {
  for (const Step& step : arguments.schema().steps) {
    *current = &step;
    aclnnStatus status = kSuccess;
    switch (step.word) {
      case Word::kNotNull:
        status = CheckNotNull(arguments, step);
        break;
      case Word::kNotAllNull:
        status = CheckNotAllNull(arguments, step);
        break;
      case Word::kOnProducts:
        status = CheckProduct(arguments, step);
        break;
      case Word::kDtypeOneOf:
        status = CheckDtypeOneOf(arguments, step);
        break;
      case Word::kSameDtype:
        status = CheckSameDtype(arguments, step);
        break;
      case Word::kPromotesOneOf:
        status = CheckPromotesOneOf(arguments, step);
        break;
      case Word::kPromotesTo:
        status = CheckPromotesTo(arguments, step);
        break;
      case Word::kPlainFormat:
        status = CheckPlainFormat(arguments, step);
        break;
      case Word::kRank:
        status = CheckRank(arguments, step);
        break;
      case Word::kNotEmpty:
        status = CheckNotEmpty(arguments, step);
        break;
      case Word::kSizeInRange:
        status = CheckSizeInRange(arguments, step);
        break;
      case Word::kDivisibleAlong:
        status = CheckDivisibleAlong(arguments, step);
        break;
      case Word::kSameSize:
        status = CheckSameSize(arguments, step);
        break;
      case Word::kSameSizeOrOne:
        status = CheckSameSize(arguments, step);
        break;
      case Word::kDimInRange:
        status = CheckDimInRange(arguments, step);
        break;
      case Word::kValueOneOf:
        status = CheckValueOneOf(arguments, step);
        break;
      case Word::kValueAtLeast:
        status = CheckValueAtLeast(arguments, step);
        break;
      case Word::kAttributeIs:
        status = CheckAttributeIs(arguments, step);
        break;
      case Word::kShapeIs:
        status = CheckShape(arguments, step);
        break;
      case Word::kCustom:
        status = step.custom(arguments, step);
        break;
      case Word::kEmptySucceeds:
        if (IsEmpty(arguments, step)) {
          *empty = true;
          return kSuccess;
        }
        break;
    }
    if (status != kSuccess) [[unlikely]]
      return status;
  }
  *empty = false;
  return kSuccess;
}

}  // namespace

aclnnStatus RefuseProduct(const Arguments& arguments, const Step& step) {
  const Schema& schema = arguments.schema();
  std::string names;
  for (const Product& product : kProducts) {
    if (schema.products.Holds(product.family))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", product.family_name);
  }
  return Failf(step.status, "{}: expected one of the products {}, got {}", schema.api, names,
               arguments.product().family_name);
}

aclnnStatus CheckSteps(Arguments& arguments, bool* empty) {
  const Step* step = nullptr;
  try {
    return RunSteps(arguments, empty, &step);
  } catch (const std::bad_alloc&) {
    // Only what a step refuses takes memory, for its text.
    return Failf(step->status, "{}: an argument is not as expected, and no memory is left to tell which",
                 arguments.schema().api);
  }
}

}  // namespace portacl::exec
