# SPDX-License-Identifier: Apache-2.0
"""Which operators the plug-in always executes and which never, and what happened to those that are tried in it first."""

import torch

# The copies on which everything else depends.
COPIES = frozenset("_copy_from _copy_from_and_resize clone copy_".split())

# Operators that the plug-in always executes; except for the copies they only need the runtime: allocation, views and the plug-in's data about a
# storage.
ALWAYS = COPIES | frozenset("""
    empty.memory_format empty_strided set_ set_.source_Storage set_.source_Storage_storage_offset
    set_.source_Tensor set_.source_Tensor_storage_offset resize_ resize_as_ record_stream is_pinned _pin_memory is_set_to
    _local_scalar_dense as_strided as_strided_ view _reshape_alias unfold squeeze squeeze.dim unsqueeze view_as_real
    view_as_complex _lazy_clone _has_compatible_shallow_copy_type
""".split())

# Composites that the CPU computes in one call but the device in many.
ONE_CALL = ("scaled_dot_product_attention", *(f"{layer}.{form}" for layer in ("lstm", "gru", "rnn_tanh", "rnn_relu") for form in ("input", "data")))

_ON_CPU = ("scatter_reduce", "triangular_solve")


def that_stay_on_cpu(names):
    """Those operators of a set that always run on the CPU: with random numbers, where these are to be those of the CPU; of sparse and quantised
    tensors, which the fallback refuses; one that the plug-in composes of a dozen others, and one whose second result is PyTorch's copy of an
    argument, not the triangle of it that a card returns."""
    packet = lambda name: name.partition(".")[0]
    return set(torch.ops.portacl.that_draw_on_cpu(list(names))).union(
        name for name in names if packet(name) in _ON_CPU or any(word in packet(name) for word in ("sparse", "quantize")))


def outcomes():
    """The operators that have run natively, and {operator: the names that its kernel did not find, each once and in order}."""
    ran, lines = torch.ops.portacl.outcomes()
    missing = {}
    for name, what in (line.split("\t") for line in lines):
        missing.setdefault(name, []).append(what)
    return set(ran), missing


def forget():
    """For tests: empties both."""
    torch.ops.portacl.forget()
