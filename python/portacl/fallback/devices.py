# SPDX-License-Identifier: Apache-2.0
"""Which tensors may be on another device than the npu tensors of a call, as on a card: scalar tensors, indices and lengths."""

import torch

_ANYWHERE = frozenset("lengths input_lengths target_lengths batch_sizes tensor_indices_or_sections".split())
_MIXED = frozenset("aten::_foreach_copy_ aten::is_same_size".split())    # operators that accept tensors of any device


def may_stay_on_cpu(operator, argument):
    """Whether `operator` (a name with its namespace) accepts CPU tensors for `argument`. Same as MayStayOnCpu in on_cpu.h."""
    return argument in _ANYWHERE or operator in _MIXED or argument == "indices" and "index" in operator


def check(tensors):
    """Raises RuntimeError unless `tensors`, of arguments that may not stay on the CPU, are on one device."""
    devices = {str(tensor.device): None for tensor in tensors if tensor.dim() or not tensor.is_cpu}
    if len(devices) > 1:
        first, second = sorted(devices, reverse=True)[:2]
        raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!")


def tensors_of(values):
    """The tensors among values, including those in lists."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_of(value)
