# SPDX-License-Identifier: Apache-2.0
"""Rotary embedding, activations, shapes and the step of AdamW."""

import torch

_FAST = 1.702


def _rotated(x, mode):
    if mode == "half":
        left, right = x.chunk(2, -1)
        return torch.cat((-right, left), -1)
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)


def _rotated_back(x, mode):
    """The transpose of _rotated."""
    return -_rotated(x, mode)


def rotary_mul(input, r1, r2, rotary_mode="half", rotate=None):
    x = input.float()
    return (r1.float() * x + r2.float() * (_rotated(x, rotary_mode) if rotate is None else x @ rotate.float())).to(input.dtype)


def rotary_mul_backward(grad, input, r1, r2, rotary_mode="half"):
    g, x = grad.float(), input.float()
    of_input = r1.float() * g + _rotated_back(r2.float() * g, rotary_mode)
    return (of_input.to(input.dtype), (g * x).sum_to_size(r1.shape).to(r1.dtype),
            (g * _rotated(x, rotary_mode)).sum_to_size(r2.shape).to(r2.dtype))


def broadcast(input, size):
    return input.expand(size).clone(memory_format=torch.contiguous_format)


def fast_gelu(input):
    x = input.float()
    return (x * torch.sigmoid(_FAST * x)).to(input.dtype)


def fast_gelu_backward(grad, input):
    x = input.float()
    s = torch.sigmoid(_FAST * x)
    return (grad.float() * (s + _FAST * x * s * (1 - s))).to(input.dtype)


def silu_backward(grad_output, x0, x1):
    return torch.ops.aten.silu_backward(grad_output, x0)


def confusion_transpose(input, perm, shape, transpose_first):
    return input.permute(perm).reshape(shape) if transpose_first else input.reshape(shape).permute(perm).contiguous()


def confusion_transpose_backward(grad, perm, shape, transpose_first):
    """`shape`: that of the input; transpose_first: for this operator, the opposite of the forward's value."""
    back = [list(perm).index(axis) for axis in range(len(perm))]
    if transpose_first:
        return grad.permute(back).reshape(shape)
    return grad.reshape([shape[axis] for axis in perm]).permute(back).contiguous()


def apply_adam_w(beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon, grad, max_grad_norm, amsgrad, maximize, *, out):
    """One step in place; the powers are those of the previous step."""
    if amsgrad and max_grad_norm is None:
        raise RuntimeError("torch_npu.npu_apply_adam_w with amsgrad needs max_grad_norm")
    target, momentum, second = out
    gradient = -grad.float() if maximize else grad.float()
    m = beta1 * momentum.float() + (1 - beta1) * gradient
    v = beta2 * second.float() + (1 - beta2) * gradient * gradient
    if amsgrad:
        v = torch.maximum(v, max_grad_norm.float())
    step = lr * (m / (1 - beta1_power * beta1)) / ((v / (1 - beta2_power * beta2)).sqrt() + epsilon)
    weights = target.float()
    for tensor, value in ((target, weights - step - lr * weight_decay * weights), (momentum, m), (second, v)):
        tensor.copy_(value)
    return out
