# SPDX-License-Identifier: Apache-2.0
"""Operators that PyTorch has for accelerators only, so that the CPU has no kernel of the same name, and what stands in for them."""

import torch

from .kernel import make_kernel

aten = torch.ops.aten


def _convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    return aten.convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def _convolution_backward(grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    channels = grad_output.shape[1] if grad_output.dim() == input.dim() else grad_output.shape[0]
    return aten.convolution_backward(grad_output, input, weight, [channels], stride, padding, dilation, transposed, output_padding,
                                     groups, output_mask)


def _lstm_cell(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    """A differentiable LSTM cell; the third result is the workspace of a fused backward, which is not needed."""
    gates = input_gates + hidden_gates
    if input_bias is not None:
        gates = gates + input_bias
    if hidden_bias is not None:
        gates = gates + hidden_bias
    forget_in, forget, cell, out = gates.chunk(4, 1)
    cy = torch.sigmoid(forget) * cx + torch.sigmoid(forget_in) * torch.tanh(cell)
    return torch.sigmoid(out) * torch.tanh(cy), cy, gates


def _gru_cell(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    """A differentiable GRU cell; see _lstm_cell."""
    if input_bias is not None:
        input_gates = input_gates + input_bias
    if hidden_bias is not None:
        hidden_gates = hidden_gates + hidden_bias
    reset_in, update_in, new_in = input_gates.chunk(3, 1)
    reset_hidden, update_hidden, new_hidden = hidden_gates.chunk(3, 1)
    update = torch.sigmoid(update_in + update_hidden)
    new = torch.tanh(new_in + torch.sigmoid(reset_in + reset_hidden) * new_hidden)
    return (hx - new) * update + new, input_gates


def _contiguous(self, *, memory_format=torch.contiguous_format):
    if self.is_contiguous(memory_format=memory_format):
        return self
    return self.clone(memory_format=memory_format)


def _attention_math(*args, **kwargs):
    return int(torch.nn.attention.SDPBackend.MATH.value)


def kernels():
    """(operator, dispatch key, kernel) of each."""
    for key in ("PrivateUse1", "AutogradPrivateUse1"):
        yield "_thnn_fused_lstm_cell", key, _lstm_cell
        yield "_thnn_fused_gru_cell", key, _gru_cell
        yield "contiguous", key, _contiguous
    yield "mode.values", "PrivateUse1", make_kernel(aten.mode.values)
    yield "_fused_sdp_choice", "PrivateUse1", _attention_math
    yield "convolution_overrideable", "PrivateUse1", make_kernel(aten.convolution_overrideable.default, _convolution)
    yield ("convolution_backward_overrideable", "PrivateUse1",
           make_kernel(aten.convolution_backward_overrideable.default, _convolution_backward))
    # Packed sequences keep their batch sizes on the CPU, where recurrent layers read them.
    yield "_pack_padded_sequence", "PrivateUse1", make_kernel(aten._pack_padded_sequence.default, cpu_results=(1,))

