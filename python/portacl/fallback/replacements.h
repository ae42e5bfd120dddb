// SPDX-License-Identifier: Apache-2.0
//
// Operators that PyTorch has for accelerators only, so that the CPU has no kernel of the same name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/SDPBackend.h>
#include <ATen/TensorOperators.h>

namespace portacl {

// A differentiable LSTM cell; the third result is the workspace of a fused backward, which is not needed.
inline std::tuple<at::Tensor, at::Tensor, at::Tensor> LstmCell(const at::Tensor& input_gates,
                                                               const at::Tensor& hidden_gates, const at::Tensor& cx,
                                                               const std::optional<at::Tensor>& input_bias,
                                                               const std::optional<at::Tensor>& hidden_bias) {
  at::Tensor gates = input_gates + hidden_gates;
  if (input_bias) gates = gates + *input_bias;
  if (hidden_bias) gates = gates + *hidden_bias;
  const std::vector<at::Tensor> parts = gates.chunk(4, 1);
  const at::Tensor cy = parts[1].sigmoid() * cx + parts[0].sigmoid() * parts[2].tanh();
  return {parts[3].sigmoid() * cy.tanh(), cy, gates};
}

// A differentiable GRU cell; the second result is the workspace.
inline std::tuple<at::Tensor, at::Tensor> GruCell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                                  const at::Tensor& hx, const std::optional<at::Tensor>& input_bias,
                                                  const std::optional<at::Tensor>& hidden_bias) {
  const at::Tensor input = input_bias ? input_gates + *input_bias : input_gates;
  const std::vector<at::Tensor> of_input = input.chunk(3, 1);
  const std::vector<at::Tensor> of_hidden = (hidden_bias ? hidden_gates + *hidden_bias : hidden_gates).chunk(3, 1);
  const at::Tensor update = (of_input[1] + of_hidden[1]).sigmoid();
  const at::Tensor added = (of_input[2] + (of_input[0] + of_hidden[0]).sigmoid() * of_hidden[2]).tanh();
  return {(hx - added) * update + added, input};
}

inline at::Tensor ConvolutionOverrideable(const at::Tensor& input, const at::Tensor& weight,
                                          const std::optional<at::Tensor>& bias, c10::IntArrayRef stride,
                                          c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
                                          c10::IntArrayRef output_padding, int64_t groups) {
  return at::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

inline std::tuple<at::Tensor, at::Tensor, at::Tensor> ConvolutionBackwardOverrideable(
    const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight, c10::IntArrayRef stride,
    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef output_padding,
    int64_t groups, std::array<bool, 3> output_mask) {
  const int64_t channels = grad_output.size(grad_output.dim() == input.dim() ? 1 : 0);
  return at::convolution_backward(grad_output, input, weight, channels, stride, padding, dilation, transposed,
                                  output_padding, groups, output_mask);
}

inline int64_t AttentionMath(const at::Tensor& /*query*/, const at::Tensor& /*key*/, const at::Tensor& /*value*/,
                             const std::optional<at::Tensor>& /*attn_mask*/, double /*dropout_p*/, bool /*is_causal*/,
                             std::optional<double> /*scale*/, bool /*enable_gqa*/) {
  return static_cast<int64_t>(at::SDPBackend::math);
}

// nn.TransformerEncoder would make a nested tensor of padded sentences, unless they are padded on the left.
inline bool NoNestedTensor(const at::Tensor& /*t*/, const at::Tensor& /*mask*/) { return false; }

}  // namespace portacl
