# SPDX-License-Identifier: Apache-2.0
"""Replacements for operators that PyTorch has for accelerators only, so that the CPU has no kernel of the same name."""

import torch

from .kernel import make_kernel
from .report import NATIVE, ON_CPU

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


def _allocated(like, dtype=None, device=None, pin_memory=None, memory_format=None):
    """The result of torch.empty_like on the CPU. The plug-in supports only the contiguous format, but any strides."""
    device = like.device if device is None else device
    if memory_format is torch.contiguous_format or like.is_contiguous() and memory_format in (None, torch.preserve_format):
        strides = torch.empty(like.size(), device="meta").stride()
    else:
        shadow = torch.empty_strided(like.size(), like.stride(), device="meta")
        strides = torch.empty_like(shadow, memory_format=memory_format or torch.preserve_format).stride()
    return torch.empty_strided(like.size(), strides, dtype=dtype or like.dtype, device=device, pin_memory=bool(pin_memory))


def _empty_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return _allocated(self, dtype, device, pin_memory, memory_format)


def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    # The plug-in's own kernel returns float32 where float64 was requested.
    return _allocated(self, dtype, device, pin_memory, memory_format).copy_(self, non_blocking)


def _contiguous(self, *, memory_format=torch.contiguous_format):
    if self.is_contiguous(memory_format=memory_format):
        return self
    return self.clone(memory_format=memory_format)


def _attention_math(*args, **kwargs):
    return int(torch.nn.attention.SDPBackend.MATH.value)


def _no_nested_tensor(*args, **kwargs):
    # nn.TransformerEncoder would make a nested tensor of padded sentences, unless they are padded on the left.
    return False


def kernels():
    """(operator, dispatch key, kernel, where it runs) for each; None if it calls operators that are counted themselves."""
    for key in ("PrivateUse1", "AutogradPrivateUse1"):
        yield "_thnn_fused_lstm_cell", key, _lstm_cell, None
        yield "_thnn_fused_gru_cell", key, _gru_cell, None
        yield "contiguous", key, _contiguous, None
    yield "_fused_sdp_choice", "PrivateUse1", _attention_math, None
    yield "_nested_tensor_from_mask_left_aligned", "PrivateUse1", _no_nested_tensor, None
    # They use the device's allocator and copies.
    yield "_to_copy", "PrivateUse1", _to_copy, NATIVE
    yield "empty_like", "PrivateUse1", _empty_like, NATIVE
    # Packed sequences keep their batch sizes on the CPU, where recurrent layers read them.
    for name, operator, options in (
        ("mode.values", aten.mode.values, {}),
        ("convolution_overrideable", aten.convolution_overrideable.default, {"function": _convolution}),
        ("convolution_backward_overrideable", aten.convolution_backward_overrideable.default, {"function": _convolution_backward}),
        ("_pack_padded_sequence", aten._pack_padded_sequence.default, {"cpu_results": (1,)}),
    ):
        yield name, "PrivateUse1", make_kernel(operator, **options), ON_CPU
