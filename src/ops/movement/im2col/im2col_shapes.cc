// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/movement/im2col/im2col_spec.h"

namespace portacl::ops::im2col {
namespace {

// Larger than any size of a tensor, but small enough to avoid overflow.
constexpr int64_t kMost = int64_t{1} << 31;

bool IsPair(std::span<const int64_t> numbers, int64_t low) {
  return numbers.size() == 2 &&
         std::ranges::all_of(numbers, [=](int64_t number) { return number >= low && number < kMost; });
}

}  // namespace

aclnnStatus WindowFits(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  if (self.rank < 3) return arguments.Refuse(step, 0, "rank 3 or 4", fmt::format("rank {}", self.rank));
  const auto dims = self.dims();
  if (std::ranges::find(dims.last(3), 0) != dims.end())
    return arguments.Refuse(step, 0, "an image with elements", fmt::format("[{}]", fmt::join(dims, ",")));
  for (const char* const name : {"kernelSize", "dilation", "padding", "stride"}) {
    const int arg = arguments.schema().Find(name);
    const int64_t low = std::string_view(name) == "padding" ? 0 : 1;
    if (IsPair(arguments.Ints(arg), low)) continue;
    return arguments.Refuse(step, arg, fmt::format("two numbers from {} to {}", low, kMost - 1),
                            fmt::format("[{}]", fmt::join(arguments.Ints(arg), ",")));
  }
  Shape shape;
  if (ColumnsShape(arguments, &shape)) return exec::kSuccess;
  return arguments.Refuse(
      step, arguments.schema().Find("kernelSize"), "windows that fit into the padded image",
      fmt::format("{} of one of [{}]", fmt::join(arguments.Ints(arguments.schema().Find("kernelSize")), ","),
                  fmt::join(dims, ",")));
}

bool ColumnsShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(0);
  if (self.rank < 3 || self.rank > 4) return false;
  int64_t window = 1, places = 1;
  const auto numbers = [&](const char* name) { return arguments.Ints(arguments.schema().Find(name)); };
  for (const char* const name : {"kernelSize", "dilation", "padding", "stride"}) {
    if (!IsPair(numbers(name), std::string_view(name) == "padding" ? 0 : 1)) return false;
  }
  for (size_t i = 0; i < 2; ++i) {
    int64_t span = 0;
    if (__builtin_mul_overflow(numbers("dilation")[i], numbers("kernelSize")[i] - 1, &span) || span > 4 * kMost)
      return false;
    const Window one = {self.shape[self.rank - 2 + static_cast<int>(i)], numbers("kernelSize")[i],
                        numbers("dilation")[i], numbers("padding")[i], numbers("stride")[i]};
    if (one.size > kMost || one.Places() < 1) return false;
    window *= one.kernel;
    places *= one.Places();
  }
  shape->rank = self.rank - 1;
  if (self.rank == 4) shape->dims[0] = self.shape[0];
  shape->dims[shape->rank - 1] = places;
  int64_t count = 0;
  return !__builtin_mul_overflow(window, self.shape[self.rank - 3], &shape->dims[shape->rank - 2]) &&
         CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::im2col
