// SPDX-License-Identifier: Apache-2.0
//
// The gradients of a convolution, computed by convolutions on the device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <ATen/Functions.h>

#include "on_cpu.h"

namespace portacl {

inline constexpr int64_t kFewestChannels = 8;
inline constexpr int64_t kMostResultsOfOneTap = 1024;

// The arguments of convolution_backward.
struct ConvolutionGradient {
  at::Tensor grad_output, input, weight;
  std::vector<int64_t> stride, padding, dilation;
  bool transposed;
  int64_t groups;

  // One group, on images or signals. The CPU handles the rest; it is also faster with few input channels, and with 1 x
  // 1 weights on large images.
  bool IsServed() const {
    if (transposed || groups != 1 || (weight.dim() != 3 && weight.dim() != 4)) return false;
    const auto fits = [this](const at::Tensor& tensor) {
      return tensor.device().type() == kNpu && tensor.numel() != 0 && tensor.dim() == weight.dim() &&
             tensor.scalar_type() == weight.scalar_type();
    };
    const at::ScalarType dtype = weight.scalar_type();
    const bool has_dtype = dtype == at::kFloat || dtype == at::kHalf || dtype == at::kBFloat16;
    const size_t axes = static_cast<size_t>(weight.dim()) - 2;
    if (!has_dtype || !fits(grad_output) || !fits(input) || !fits(weight) || stride.size() != axes ||
        padding.size() != axes || dilation.size() != axes)
      return false;
    const int64_t results = grad_output.numel() / (grad_output.size(0) * grad_output.size(1));
    return weight.size(1) >= kFewestChannels && (!HasOneTap() || results <= kMostResultsOfOneTap);
  }
  bool HasOneTap() const { return weight.numel() == weight.size(0) * weight.size(1); }
  at::Tensor OfInput() const {
    // The number of elements after the last one that the weights touch.
    std::vector<int64_t> rest;
    for (size_t i = 0; i < stride.size(); ++i) {
      const auto axis = static_cast<int64_t>(i) + 2;
      rest.push_back(input.size(axis) - ((grad_output.size(axis) - 1) * stride[i] - 2 * padding[i] +
                                         dilation[i] * (weight.size(axis) - 1) + 1));
    }
    return at::convolution(grad_output, weight, {}, stride, padding, dilation, true, rest, 1);
  }
  // Each weight is multiplied with one element per result: results play the role of weights, and images that of
  // channels.
  at::Tensor OfWeight() const {
    const std::vector<int64_t> none(stride.size(), 0), ones(stride.size(), 1);
    const at::Tensor images = input.transpose(0, 1), results = grad_output.transpose(0, 1);
    if (HasOneTap() && padding == none && stride == ones)
      return at::convolution(results, images, {}, ones, none, ones, false, none, 1);
    at::Tensor found = at::convolution(images, results, {}, dilation, padding, stride, false, none, 1);
    for (int64_t axis = 2; axis < weight.dim(); ++axis) found = found.narrow(axis, 0, weight.size(axis));
    return at::empty_like(weight).copy_(found.transpose(0, 1));
  }
  at::Tensor OfBias() const {
    std::vector<int64_t> axes = {0};
    for (int64_t axis = 2; axis < weight.dim(); ++axis) axes.push_back(axis);
    return at::sum(grad_output, axes);
  }
};

// Replaces the arguments of a call by its results; returns false and does nothing if the CPU should compute it.
inline bool GradientByConvolutions(Stack* stack) {
  constexpr size_t kArguments = 11;
  const Stack given(stack->end() - kArguments, stack->end());
  const bool has_numbers = given[4].isIntList() && given[5].isIntList() && given[6].isIntList();
  if (!has_numbers || !given[0].isTensor() || !given[1].isTensor() || !given[2].isTensor()) return false;
  const ConvolutionGradient call{given[0].toTensor(),    given[1].toTensor(),    given[2].toTensor(),
                                 given[4].toIntVector(), given[5].toIntVector(), given[6].toIntVector(),
                                 given[7].toBool(),      given[9].toInt()};
  if (!call.IsServed()) return false;
  const c10::List<bool> mask = given[10].toBoolList();
  stack->resize(stack->size() - kArguments);
  stack->emplace_back(mask.get(0) ? call.OfInput() : at::Tensor());
  stack->emplace_back(mask.get(1) ? call.OfWeight() : at::Tensor());
  stack->emplace_back(mask.get(2) ? call.OfBias() : at::Tensor());
  return true;
}

}  // namespace portacl
