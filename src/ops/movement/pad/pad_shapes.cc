// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/movement/pad/pad_spec.h"

namespace portacl::ops::pad {
namespace {

std::string ListText(std::span<const int64_t> values) { return fmt::format("[{}]", fmt::join(values, ",")); }

const View& Self(const exec::Arguments& arguments) { return arguments.Tensor(arguments.schema().Find("self")); }

// The size of an axis with its pair; negative if the pair crops more than the axis has, or if the size overflows.
int64_t PaddedSize(int64_t size, int64_t begin, int64_t end) {
  int64_t both = 0, padded = 0;
  if (__builtin_add_overflow(begin, end, &both)) return -1;
  int64_t least = 0;
  if (__builtin_add_overflow(size, std::min({begin, end, both}), &least) || least < 0) return -1;
  return __builtin_add_overflow(size, both, &padded) ? -1 : padded;
}

}  // namespace

aclnnStatus PadHasPairs(const exec::Arguments& arguments, const exec::Step& step) {
  const int pad = arguments.schema().Find("pad");
  const size_t length = arguments.Ints(pad).size();
  const auto rank = static_cast<size_t>(Self(arguments).rank);
  if (length % 2 == 0 && length <= 2 * rank) return exec::kSuccess;
  return arguments.Refuse(step, pad, fmt::format("an even length up to {} (two for each axis of 'self')", 2 * rank),
                          fmt::format("length {}", length));
}

bool PaddedShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto pad = arguments.Ints(arguments.schema().Find("pad"));
  if (pad.size() % 2 != 0 || pad.size() > 2 * self.dims().size()) return false;
  families::SetShape(self.dims(), shape);
  const bool grows = std::ranges::any_of(pad, [](int64_t number) { return number > 0; });
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t& size = shape->dims[self.dims().size() - 1 - i];
    size = PaddedSize(size, pad[2 * i], pad[2 * i + 1]);
    if (size < 0 || (size == 0 && grows)) return false;
  }
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

aclnnStatus PadLeavesSizes(const exec::Arguments& arguments, const exec::Step& step) {
  Shape shape;
  if (PaddedShape(arguments, &shape)) return exec::kSuccess;
  const int pad = arguments.schema().Find("pad");
  return arguments.Refuse(
      step, pad,
      fmt::format("numbers that leave elements of 'self', which has shape {}", ListText(Self(arguments).dims())),
      ListText(arguments.Ints(pad)));
}

bool ReflectedShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = Self(arguments);
  const auto padding = arguments.Ints(arguments.schema().Find("padding"));
  if (padding.size() != 2 || self.rank < 1) return false;
  families::SetShape(self.dims(), shape);
  int64_t& size = shape->dims[self.rank - 1];
  const int64_t most = size - 1;
  if (std::ranges::any_of(padding, [&](int64_t number) { return number < 0 || number > most; })) return false;
  return !__builtin_add_overflow(size, padding[0] + padding[1], &size);
}

aclnnStatus PaddingIsShorter(const exec::Arguments& arguments, const exec::Step& step) {
  Shape shape;
  if (ReflectedShape(arguments, &shape)) return exec::kSuccess;
  const int padding = arguments.schema().Find("padding");
  return arguments.Refuse(step, padding,
                          fmt::format("two numbers from 0 to less than the last size of 'self', which has shape {}",
                                      ListText(Self(arguments).dims())),
                          ListText(arguments.Ints(padding)));
}

}  // namespace portacl::ops::pad
