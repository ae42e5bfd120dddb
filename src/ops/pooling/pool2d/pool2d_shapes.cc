// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ops/pooling/pool2d/pool2d_spec.h"

namespace portacl::ops::pool2d {
namespace {

// Larger than any size of a tensor, but small enough to avoid overflow.
constexpr int64_t kMost = int64_t{1} << 31;

constexpr int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The value for height (axis 0) or width (1); a single value is for both.
int64_t NumberOf(std::span<const int64_t> numbers, size_t axis, int64_t otherwise) {
  return numbers.empty() ? otherwise : numbers[numbers.size() == 1 ? 0 : axis];
}

// Padding before and after the image.
struct Padding {
  int64_t before;
  int64_t after;
};
Padding PaddingOf(std::span<const int64_t> numbers, size_t axis) {
  const int64_t before = NumberOf(numbers, axis, 0);
  return {before, numbers.size() == 4 ? numbers[axis + 2] : before};
}

// The number of window positions; 0 or less if the window does not fit.
int64_t PlacesOf(const loops::windows::WindowAxis& axis, int64_t after, bool ceil) {
  const int64_t room = axis.size + axis.before + after - axis.kernel;
  if (!ceil) return FloorDivide(room, axis.stride) + 1;
  const int64_t places = FloorDivide(room + axis.stride - 1, axis.stride) + 1;
  return places - ((places - 1) * axis.stride >= axis.size + axis.before ? 1 : 0);
}

// The valid contents of an array: a bit for each length, and the range of its values.
struct ArrayRule {
  const char* name;
  uint32_t lengths;
  int64_t low;
  int64_t high = kMost - 1;
};

std::span<const int64_t> NumbersOf(const exec::Arguments& arguments, const char* name) {
  return arguments.Ints(arguments.schema().Find(name));
}

aclnnStatus Refuse(const exec::Arguments& arguments, const exec::Step& step, const char* name,
                   std::string_view expected) {
  return arguments.Refuse(step, arguments.schema().Find(name), expected,
                          fmt::format("[{}]", fmt::join(NumbersOf(arguments, name), ",")));
}

aclnnStatus CheckArray(const exec::Arguments& arguments, const exec::Step& step, const ArrayRule& rule) {
  const std::span<const int64_t> numbers = NumbersOf(arguments, rule.name);
  if (numbers.size() >= 32 || (rule.lengths >> numbers.size() & 1) == 0) {
    std::vector<int> lengths;
    for (int length = 0; length < 32; ++length) {
      if ((rule.lengths >> length & 1) != 0) lengths.push_back(length);
    }
    return Refuse(arguments, step, rule.name, fmt::format("{} numbers", fmt::join(lengths, " or ")));
  }
  const auto fits = [&](int64_t number) { return number >= rule.low && number <= rule.high; };
  if (std::ranges::all_of(numbers, fits)) return exec::kSuccess;
  return Refuse(arguments, step, rule.name,
                rule.low == rule.high ? fmt::format("numbers that are {}", rule.low)
                                      : fmt::format("numbers from {} to {}", rule.low, rule.high));
}

aclnnStatus CheckArrays(const exec::Arguments& arguments, const exec::Step& step,
                        std::initializer_list<ArrayRule> rules) {
  const auto dims = arguments.Tensor(0).dims();
  if (std::ranges::find(dims.last(2), 0) != dims.end())
    return arguments.Refuse(step, 0, "a height and a width that are not 0", fmt::format("[{}]", fmt::join(dims, ",")));
  for (const ArrayRule& rule : rules) {
    if (const aclnnStatus status = CheckArray(arguments, step, rule); status != exec::kSuccess) return status;
  }
  return exec::kSuccess;
}

bool ShapeOf(const exec::Arguments& arguments, const Numbers& numbers, bool is_mean, Shape* shape) {
  const View& self = arguments.Tensor(0);
  loops::windows::Pooling pooling;
  if (self.rank < 3 || self.rank > 4 || !WindowsOf(self, numbers, is_mean, &pooling)) return false;
  families::SetShape(self.dims(), shape);
  shape->dims[self.rank - 2] = pooling.high.places;
  shape->dims[self.rank - 1] = pooling.wide.places;
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace

bool WindowsOf(const View& self, const Numbers& numbers, bool is_mean, loops::windows::Pooling* pooling) {
  const auto fits = [&](size_t axis, loops::windows::WindowAxis* window, int64_t* after) {
    const int64_t kernel = NumberOf(numbers.kernel, axis, 1);
    const Padding padding = PaddingOf(numbers.paddings, axis);
    *window = {.size = self.shape[self.rank - 2 + static_cast<int>(axis)],
               .places = 0,
               .kernel = kernel,
               .stride = NumberOf(numbers.strides, axis, is_mean ? kernel : 1),
               .before = padding.before};
    *after = padding.after;
    // Shapes are also computed before any check.
    const int64_t all[] = {window->size, kernel, window->stride, padding.before, padding.after};
    if (std::ranges::any_of(all, [](int64_t number) { return number < 0 || number > kMost; }) || window->stride == 0)
      return false;
    window->places = PlacesOf(*window, padding.after, numbers.ceil);
    return window->places > 0;
  };
  pooling->is_mean = is_mean;
  const bool is_high = fits(0, &pooling->high, &pooling->after_high);
  return fits(1, &pooling->wide, &pooling->after_wide) && is_high;
}

aclnnStatus CheckAvgNumbers(const exec::Arguments& arguments, const exec::Step& step) {
  const aclnnStatus status =
      CheckArrays(arguments, step, {{"kernelSize", 0b110, 1}, {"strides", 0b111, 1}, {"paddings", 0b110, 0}});
  if (status != exec::kSuccess) return status;
  const std::span<const int64_t> kernel = NumbersOf(arguments, "kernelSize"),
                                 paddings = NumbersOf(arguments, "paddings");
  for (size_t axis = 0; axis < 2; ++axis) {
    if (2 * NumberOf(paddings, axis, 0) <= NumberOf(kernel, axis, 1)) continue;
    return Refuse(arguments, step, "paddings", fmt::format("at most half of [{}]", fmt::join(kernel, ",")));
  }
  return exec::kSuccess;
}

aclnnStatus CheckMaxNumbers(const exec::Arguments& arguments, const exec::Step& step) {
  const aclnnStatus status = CheckArrays(
      arguments, step,
      {{"kernelShape", 0b110, 1}, {"strides", 0b111, 1}, {"pads", 0b10111, 0}, {"dilations", 0b10111, 1, 1}});
  if (status != exec::kSuccess) return status;
  const std::span<const int64_t> kernel = NumbersOf(arguments, "kernelShape");
  for (size_t axis = 0; axis < 2; ++axis) {
    const Padding padding = PaddingOf(NumbersOf(arguments, "pads"), axis);
    if (padding.before + padding.after <= NumberOf(kernel, axis, 1)) continue;
    return Refuse(arguments, step, "pads", fmt::format("at most [{}] along an axis", fmt::join(kernel, ",")));
  }
  return exec::kSuccess;
}

bool AvgShape(const exec::Arguments& arguments, Shape* shape) {
  const auto ints = [&](const char* name) { return arguments.Ints(kAvgPool2d.Find(name)); };
  const Numbers numbers = {ints("kernelSize"), ints("strides"), ints("paddings"),
                           arguments.value(kAvgPool2d.Index("ceilMode")).integer() != 0};
  return ShapeOf(arguments, numbers, true, shape);
}

bool MaxShape(const exec::Arguments& arguments, Shape* shape) {
  const auto ints = [&](const char* name) { return arguments.Ints(kMaxPool.Find(name)); };
  const Numbers numbers = {ints("kernelShape"), ints("strides"), ints("pads"),
                           arguments.value(kMaxPool.Index("ceilMode")).integer() != 0};
  return ShapeOf(arguments, numbers, false, shape);
}

}  // namespace portacl::ops::pool2d
