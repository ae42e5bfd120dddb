# SPDX-License-Identifier: Apache-2.0
"""The gradients of a convolution, computed by the toolkit's convolutions on the device."""

import torch

aten = torch.ops.aten
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_FEWEST_CHANNELS = 8
_MOST_RESULTS_OF_ONE_TAP = 1024


def _has_one_tap(weight):
    return weight.numel() == weight.shape[0] * weight.shape[1]


def _is_served(grad_output, input, weight, stride, padding, dilation, transposed, groups):
    """One group, on images or signals. The CPU handles the rest; it is also faster with few input channels, and with 1 x 1 weights on
    large images."""
    axes = weight.dim() - 2
    return (not transposed and groups == 1 and axes in (1, 2) and weight.dtype in _DTYPES
            and all(not tensor.is_cpu and tensor.numel() and tensor.dim() == weight.dim() and tensor.dtype == weight.dtype
                    for tensor in (grad_output, input, weight))
            and all(len(numbers) == axes for numbers in (stride, padding, dilation)) and weight.shape[1] >= _FEWEST_CHANNELS
            and (not _has_one_tap(weight) or grad_output.shape[2:].numel() <= _MOST_RESULTS_OF_ONE_TAP))


def _of_input(grad_output, input, weight, stride, padding, dilation):
    # The number of elements after the last one that the weights touch.
    rest = [input.shape[axis] - ((grad_output.shape[axis] - 1) * step - 2 * pad + spread * (weight.shape[axis] - 1) + 1)
            for axis, step, pad, spread in zip(range(2, weight.dim()), stride, padding, dilation)]
    return aten.convolution(grad_output, weight, None, stride, padding, dilation, True, rest, 1)


def _of_weight(grad_output, input, weight, stride, padding, dilation):
    # Each weight is multiplied with one element per result: results play the role of weights, and images that of channels.
    images, results, none = input.transpose(0, 1), grad_output.transpose(0, 1), [0] * len(stride)
    if _has_one_tap(weight) and not any(padding) and set(stride) == {1}:
        return aten.convolution(results, images, None, stride, padding, stride, False, none, 1)
    found = aten.convolution(images, results, None, dilation, padding, stride, False, none, 1)
    for axis in range(2, weight.dim()):
        found = found.narrow(axis, 0, weight.shape[axis])
    return torch.empty_like(weight).copy_(found.transpose(0, 1))


def gradient_or(on_cpu):
    """A kernel for convolution_backward; calls `on_cpu` where convolutions are not supported."""
    def kernel(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
        tensors, numbers = (grad_output, input, weight), (stride, padding, dilation)
        if not _is_served(*tensors, *numbers, transposed, groups):
            return on_cpu(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask)
        return (_of_input(*tensors, *numbers) if output_mask[0] else None,
                _of_weight(*tensors, *numbers) if output_mask[1] else None,
                grad_output.sum([0, *range(2, weight.dim())]) if output_mask[2] else None)
    return kernel
