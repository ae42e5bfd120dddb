// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/shape_rule.h"
#include "ops/movement/split/split_spec.h"

namespace portacl::ops::split {
namespace {

const View& Self(const exec::Arguments& arguments) { return arguments.Tensor(0); }
int Axis(const exec::Arguments& arguments) { return families::AxisIn(arguments, "dim", Self(arguments).rank); }
int64_t Length(const exec::Arguments& arguments) { return Self(arguments).shape[Axis(arguments)]; }

// The argument after self: an array of sizes, or one size for all pieces.
constexpr int kSizes = 1;
bool HasSizes(const exec::Arguments& arguments) {
  return arguments.schema().args[kSizes].kind == exec::ValueKind::kIntArray;
}
uint64_t Sections(const exec::Arguments& arguments) { return static_cast<uint64_t>(arguments.value(kSizes).integer()); }

}  // namespace

int64_t PieceSize(const exec::Arguments& arguments, int64_t i) {
  if (HasSizes(arguments)) return arguments.Ints(kSizes)[static_cast<size_t>(i)];
  const auto length = static_cast<uint64_t>(Length(arguments));
  const uint64_t most = std::min(Sections(arguments), length);
  return static_cast<int64_t>(std::min(most, length - static_cast<uint64_t>(i) * most));
}

int64_t PieceCount(const exec::Arguments& arguments) {
  if (HasSizes(arguments)) return std::ssize(arguments.Ints(kSizes));
  const auto length = static_cast<uint64_t>(Length(arguments));
  if (length == 0) return 1;
  const uint64_t most = std::min(Sections(arguments), length);
  return static_cast<int64_t>((length - 1) / most + 1);
}

aclnnStatus SizesAddUp(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t length = Length(arguments);
  const auto sizes = arguments.Ints(kSizes);
  int64_t left = length;
  bool is_valid = true;
  for (const int64_t size : sizes) {
    is_valid = is_valid && size >= 0 && size <= left;
    left -= is_valid ? size : 0;
  }
  if (is_valid && left == 0) return exec::kSuccess;
  return arguments.Refuse(step, kSizes, fmt::format("sizes of at least 0 whose sum is {}", length),
                          fmt::format("[{}]", fmt::join(sizes, ",")));
}

aclnnStatus SectionsArePositive(const exec::Arguments& arguments, const exec::Step& step) {
  if (Sections(arguments) > 0 || Length(arguments) == 0) return exec::kSuccess;
  return arguments.Refuse(step, kSizes, "at least 1", "0");
}

aclnnStatus OutputsArePieces(const exec::Arguments& arguments, const exec::Step& step) {
  const int out = arguments.schema().Find("out");
  const auto outputs = arguments.Operands(out);
  const int64_t count = PieceCount(arguments);
  if (std::ssize(outputs) != count) {
    return arguments.Refuse(step, out, fmt::format("a list of {} tensors", count),
                            fmt::format("a list of {}", outputs.size()));
  }
  Shape shape;
  families::SetShape(Self(arguments).dims(), &shape);
  for (int64_t i = 0; i < count; ++i) {
    shape.dims[Axis(arguments)] = PieceSize(arguments, i);
    const View& view = outputs[static_cast<size_t>(i)].view;
    if (std::ranges::equal(view.dims(), shape.span())) continue;
    return arguments.Refuse(step, out, fmt::format("[{}]", fmt::join(shape.span(), ",")),
                            fmt::format("[{}]", fmt::join(view.dims(), ",")), static_cast<int>(i));
  }
  return exec::kSuccess;
}

}  // namespace portacl::ops::split
