// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of aclnnConvolution to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "ops/convolution/convolution/convolution_spec.h"
#include "tensor/promote.h"

namespace portacl::ops::convolution {
namespace {

// Larger than any size of a tensor, but small enough to avoid overflow.
constexpr int64_t kMost = int64_t{1} << 31;
constexpr int64_t kMostGroups = 65'535;

constexpr int kInput = kConvolution.Index("input"), kWeight = kConvolution.Index("weight"),
              kBias = kConvolution.Index("bias"), kOutput = kConvolution.Index("output"),
              kOutputPadding = kConvolution.Index("outputPadding");

bool IsTransposed(const exec::Arguments& arguments) {
  return arguments.value(kConvolution.Index("transposed")).integer() != 0;
}

int64_t GroupsOf(const exec::Arguments& arguments) { return arguments.value(kConvolution.Index("groups")).integer(); }

Numbers NumbersOf(const exec::Arguments& arguments) {
  const bool transposed = IsTransposed(arguments);
  return {.stride = arguments.Ints(kConvolution.Index("stride")),
          .padding = arguments.Ints(kConvolution.Index("padding")),
          .dilation = arguments.Ints(kConvolution.Index("dilation")),
          .output_padding = transposed && !arguments.IsNull(kOutputPadding) ? arguments.Ints(kOutputPadding)
                                                                            : std::span<const int64_t>(),
          .transposed = transposed,
          .groups = GroupsOf(arguments)};
}

aclnnStatus RefuseArray(const exec::Arguments& arguments, const exec::Step& step, const char* name,
                        std::string_view expected) {
  const int arg = kConvolution.Find(name);
  return arguments.Refuse(step, arg, expected, fmt::format("[{}]", fmt::join(arguments.Ints(arg), ",")));
}

aclnnStatus RefuseShape(const exec::Arguments& arguments, const exec::Step& step, int arg, std::string_view expected) {
  return arguments.Refuse(step, arg, expected, fmt::format("[{}]", fmt::join(arguments.Tensor(arg).dims(), ",")));
}

}  // namespace

bool ConvolutionOf(const View& input, const View& weight, const Numbers& numbers,
                   loops::convolutions::Convolution* convolution) {
  const auto axes = static_cast<size_t>(input.rank - 2);
  const auto has = [&](std::span<const int64_t> array, size_t count) { return array.size() == count; };
  const bool is_paired = has(numbers.padding, 2 * axes);
  if (!has(numbers.stride, axes) || !has(numbers.dilation, axes) || (!is_paired && !has(numbers.padding, axes)))
    return false;
  convolution->axes = static_cast<int>(axes);
  convolution->transposed = numbers.transposed;
  convolution->groups = numbers.groups;
  for (size_t i = 0; i < axes; ++i) {
    loops::convolutions::ConvolvedAxis& axis = convolution->axis[loops::convolutions::kConvolvedAxes - axes + i];
    const int of_tensor = static_cast<int>(i) + 2;
    axis = {.input = input.shape[of_tensor],
            .kernel = weight.shape[of_tensor],
            .output = 0,
            .stride = numbers.stride[i],
            .dilation = numbers.dilation[i],
            .before = numbers.padding[is_paired ? 2 * i : i]};
    const int64_t after = numbers.padding[is_paired ? 2 * i + 1 : i];
    const int64_t more = numbers.output_padding.size() == axes ? numbers.output_padding[i] : 0;
    for (const int64_t number : {axis.input, axis.kernel, axis.stride, axis.dilation, axis.before, after, more}) {
      if (number < 0 || number >= kMost) return false;
    }
    if (axis.input == 0 || axis.kernel == 0 || axis.stride == 0 || axis.dilation == 0) return false;
    const int64_t reach = axis.dilation * (axis.kernel - 1) + 1;  // extent of the weights
    if (numbers.transposed) {
      axis.output = (axis.input - 1) * axis.stride - axis.before - after + reach + more;
    } else {
      const int64_t room = axis.input + axis.before + after - reach;
      axis.output = room < 0 ? 0 : room / axis.stride + 1;
    }
    if (axis.output < 1) return false;
  }
  return true;
}

aclnnStatus CheckOutputPaddingGiven(const exec::Arguments& arguments, const exec::Step& step) {
  if (!IsTransposed(arguments) || !arguments.IsNull(kOutputPadding)) return exec::kSuccess;
  return arguments.Refuse(step, kOutputPadding, "an array, as transposed is true", "null");
}

aclnnStatus CheckCommonDtype(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType common = PromoteDtypes(arguments.Tensor(kInput).dtype, arguments.Tensor(kWeight).dtype);
  const aclDataType dtype = arguments.Tensor(kOutput).dtype;
  if (dtype == common) return exec::kSuccess;
  return arguments.Refuse(step, kOutput, fmt::format("{} (common type of 'input', 'weight')", DtypeName(common)),
                          dtype);
}

aclnnStatus CheckRanks(const exec::Arguments& arguments, const exec::Step& step) {
  const int32_t rank = arguments.Tensor(kInput).rank;
  const bool is_image = rank == 4 && !IsTransposed(arguments);
  if (arguments.soc().family == SocFamily::kAscend310B && !is_image)
    return arguments.Refuse(step, kInput, "rank 4, and not transposed, on Ascend310B",
                            fmt::format("rank {}{}", rank, IsTransposed(arguments) ? ", transposed" : ""));
  for (const int arg : {kWeight, kOutput}) {
    if (arguments.Tensor(arg).rank != rank)
      return arguments.Refuse(step, arg, fmt::format("rank {} (that of 'input')", rank),
                              fmt::format("rank {}", arguments.Tensor(arg).rank));
  }
  return exec::kSuccess;
}

aclnnStatus CheckNumbers(const exec::Arguments& arguments, const exec::Step& step) {
  const Numbers numbers = NumbersOf(arguments);
  const auto axes = static_cast<size_t>(arguments.Tensor(kInput).rank - 2);
  const auto in_range = [](std::span<const int64_t> array, int64_t low) {
    return std::ranges::all_of(array, [=](int64_t number) { return number >= low && number < kMost; });
  };
  if (numbers.stride.size() != axes || !in_range(numbers.stride, 1))
    return RefuseArray(arguments, step, "stride", fmt::format("{} numbers, each at least 1", axes));
  const bool may_be_pairs = axes < 3 && !numbers.transposed;
  const bool has_length = numbers.padding.size() == axes || (may_be_pairs && numbers.padding.size() == 2 * axes);
  if (!has_length || !in_range(numbers.padding, 0))
    return RefuseArray(arguments, step, "padding",
                       fmt::format("{}{} numbers, none negative", axes,
                                   may_be_pairs ? fmt::format(" or {}", 2 * axes) : std::string()));
  if (numbers.dilation.size() != axes || !in_range(numbers.dilation, 1))
    return RefuseArray(arguments, step, "dilation", fmt::format("{} numbers, each at least 1", axes));
  if (numbers.transposed) {
    bool fits = numbers.output_padding.size() == axes && in_range(numbers.output_padding, 0);
    for (size_t i = 0; fits && i < axes; ++i)
      fits = numbers.output_padding[i] < std::max(numbers.stride[i], numbers.dilation[i]);
    if (!fits)
      return RefuseArray(arguments, step, "outputPadding",
                         fmt::format("{} numbers, each from 0 and less than stride or dilation", axes));
  }
  if (numbers.groups < 1 || numbers.groups > kMostGroups)
    return arguments.Refuse(step, kConvolution.Index("groups"), fmt::format("a value from 1 to {}", kMostGroups),
                            fmt::format("{}", numbers.groups));
  return exec::kSuccess;
}

aclnnStatus CheckChannels(const exec::Arguments& arguments, const exec::Step& step) {
  const View &input = arguments.Tensor(kInput), &weight = arguments.Tensor(kWeight);
  const int64_t groups = GroupsOf(arguments), channels = input.shape[1];
  const bool transposed = IsTransposed(arguments);
  if (channels == 0 || channels % groups != 0)
    return RefuseShape(arguments, step, kInput, fmt::format("channels in {} equal groups", groups));
  const int64_t expected = transposed ? channels : channels / groups;
  if (weight.shape[transposed ? 0 : 1] != expected)
    return RefuseShape(arguments, step, kWeight, fmt::format("{} at [{}]", expected, transposed ? 0 : 1));
  if (!transposed && weight.shape[0] % groups != 0)
    return RefuseShape(arguments, step, kWeight, fmt::format("channels in {} equal groups", groups));
  const int64_t outputs = transposed ? weight.shape[1] * groups : weight.shape[0];
  if (arguments.IsNull(kBias)) return exec::kSuccess;
  const View& bias = arguments.Tensor(kBias);
  if (bias.rank != 1 || bias.shape[0] != outputs)
    return RefuseShape(arguments, step, kBias, fmt::format("[{}]", outputs));
  return exec::kSuccess;
}

bool OutputShape(const exec::Arguments& arguments, Shape* shape) {
  const View &input = arguments.Tensor(kInput), &weight = arguments.Tensor(kWeight);
  loops::convolutions::Convolution convolution;
  const Numbers numbers = NumbersOf(arguments);
  const int32_t rank = input.rank;
  if (rank < 3 || rank > 5 || weight.rank != rank || !ConvolutionOf(input, weight, numbers, &convolution)) return false;
  families::SetShape(input.dims(), shape);
  const int64_t groups = numbers.transposed ? numbers.groups : 1;
  if (__builtin_mul_overflow(weight.shape[numbers.transposed ? 1 : 0], groups, &shape->dims[1])) return false;
  for (int axis = 2; axis < rank; ++axis)
    shape->dims[axis] = convolution.axis[loops::convolutions::kConvolvedAxes - (rank - axis)].output;
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::convolution
