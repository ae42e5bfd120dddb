# SPDX-License-Identifier: Apache-2.0
"""Compares "npu" with the CPU on the samples of PyTorch's own operator database: forward, backward, in-place and out= forms."""

import contextlib
import itertools
import sys
import types
import unittest

from npu_case import NPU

import torch
from torch.testing import assert_close
from torch.utils import _pytree as pytree

# The database's module imports this package for snapshot tests, which are not used here.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
from torch.testing._internal.common_methods_invocations import op_db

CPU = torch.device("cpu")

# Results that are unspecified: uninitialised memory.
UNDEFINED = frozenset("empty empty_like empty_permuted empty_strided new_empty new_empty_strided".split())

# Limits of torch-npu or of this fallback. Documented in docs/pytorch.md.
LIMITS = {
    "chalf": "complex32",
    "constant_pad_nd": "padding that leaves no element",
    "native_group_norm": "aclnnGroupNorm takes no negative eps",
    "nn.functional.group_norm": "aclnnGroupNorm takes no negative eps",
    "nn.functional.pad.constant": "padding that leaves no element",
    "sparse.mm.reduce": "sparse tensors",
    "sparse.sampled_addmm": "sparse tensors",
    "to_sparse": "sparse tensors",
}

# Native operators that are more accurate than the CPU's float32, so that the CPU's float64 is the reference, and the allowed differences. The
# backward of CTC reads float32 logAlpha around -200, where adjacent values are 1.5e-5 apart. The samples of attention have scores so large that its
# gradients in float32 are 9e-5 from those in float64, on the CPU as well.
EXACT = {"nn.functional.ctc_loss": {"rtol": 1e-4, "atol": 5e-5},
         "native_layer_norm": {}, "nn.functional.layer_norm": {},
         "nn.functional.scaled_dot_product_attention": {"rtol": 1e-4, "atol": 1e-4}}

# Ill-conditioned, or sums whose terms cancel: float32 is far from float64, by an amount that depends on the processor and on the order of rounding.
# So the npu's error relative to float64 may be a few times the CPU's.
ILL_CONDITIONED = frozenset("""__rmatmul__ addbmm fft.hfft2 linalg.householder_product linalg.lstsq linalg.lstsq.grad_oriented
    linalg.multi_dot matmul nn.functional.conv3d nn.functional.conv_transpose3d""".split())
TIMES_AS_FAR = 4

# Samples with a tensor that PyTorch requires on the CPU, whatever the device of the others.
STAYS_ON_CPU = frozenset(["tensor_split"])


def full_name(operator):
    return operator.name + ("." + operator.variant_test_name if operator.variant_test_name else "")


def operators():
    """The operators that have float32 samples on the CPU, by name."""
    return {full_name(operator): operator for operator in op_db if torch.float32 in operator.dtypes}


def moved_tensor(tensor):
    """The same view of a copy of the whole storage on the npu."""
    with torch.no_grad():
        plain = tensor._neg_view() if tensor.is_neg() else tensor
        plain = torch._conj(plain) if plain.is_conj() else plain
        length = plain.untyped_storage().nbytes() // plain.element_size()
        everything = torch.as_strided(plain.detach(), (length,), (1,), 0)
        result = torch.as_strided(everything.to(NPU), plain.size(), plain.stride(), plain.storage_offset())
        result = torch._conj(result) if tensor.is_conj() else result
        result = result._neg_view() if tensor.is_neg() else result
    return result.detach().requires_grad_(tensor.requires_grad)


def moved(tree):
    def move(leaf):
        if isinstance(leaf, torch.Tensor) and leaf.device == CPU and leaf.layout == torch.strided:
            return moved_tensor(leaf)
        if isinstance(leaf, torch.device) or isinstance(leaf, str) and leaf in ("cpu", "cpu:0"):
            return NPU
        return leaf
    return pytree.tree_map(move, tree)


def widened(tree):
    """float32 tensors as leaves in float64."""
    def widen(leaf):
        if isinstance(leaf, torch.Tensor) and leaf.dtype == torch.float32:
            return leaf.detach().double().requires_grad_(leaf.requires_grad)
        return leaf
    return pytree.tree_map(widen, tree)


def narrowed(tree):
    return pytree.tree_map(lambda leaf: leaf.float() if isinstance(leaf, torch.Tensor) and leaf.dtype == torch.float64 else leaf, tree)


def differentiable(tree):
    return [leaf for leaf in pytree.tree_leaves(tree)
            if isinstance(leaf, torch.Tensor) and leaf.requires_grad and (leaf.is_floating_point() or leaf.is_complex())]


def gradients(result, inputs):
    outputs, leaves = differentiable(result), differentiable(inputs)
    if not outputs or not leaves:
        return []
    torch.manual_seed(1)
    seeds = [torch.randn(output.shape).to(output.device, output.dtype) for output in outputs]
    return torch.autograd.grad(outputs, leaves, seeds, allow_unused=True)


def compare(got, want, what, only_shape, tolerances):
    got, want = pytree.tree_leaves(got), pytree.tree_leaves(want)
    assert len(got) == len(want), f"{what}: {len(got)} results instead of {len(want)}"
    for left, right in zip(got, want):
        if isinstance(right, torch.device):
            continue
        if not isinstance(right, torch.Tensor):
            assert left == right or left != left, f"{what}: {left} instead of {right}"
            continue
        assert (left.shape, left.dtype) == (right.shape, right.dtype), \
            f"{what}: {left.dtype} {list(left.shape)} instead of {right.dtype} {list(right.shape)}"
        if not only_shape:
            assert_close(left.detach().cpu().resolve_conj().resolve_neg(), right.detach().resolve_conj().resolve_neg(),
                         equal_nan=True, **tolerances, msg=lambda text: f"{what}: {text}")


def compare_distances(got, want, exact, what):
    """`got` may be TIMES_AS_FAR as far from `exact` as `want` is."""
    leaves = [pytree.tree_leaves(tree) for tree in (got, want, exact)]
    assert len(set(map(len, leaves))) == 1, f"{what}: {list(map(len, leaves))} results"
    for left, right, truth in zip(*leaves):
        if truth is None:  # no gradient
            continue
        distance = (right - truth).abs().max().item() if truth.numel() else 0
        compare(left, truth, what, False, {"rtol": 1e-5, "atol": 1e-5 + TIMES_AS_FAR * distance})


def call(function, arguments, keywords, backward):
    torch.manual_seed(0)
    result = function(*arguments, **keywords)
    return result, gradients(result, arguments) if backward else []


def compare_form(operator, function, sample, backward):
    """Compares one form of an operator on one sample; False if the CPU refuses it."""
    arguments, keywords = (sample.input, *sample.args), sample.kwargs
    npu_arguments, npu_keywords = moved((arguments, keywords))
    if operator.name in STAYS_ON_CPU:
        npu_arguments = (npu_arguments[0], *arguments[1:])
    try:
        if operator.name in EXACT:
            want, want_gradients = narrowed(call(function, widened(arguments), keywords, backward))
        else:
            want, want_gradients = call(function, arguments, keywords, backward)
    except Exception:  # a sample that this form does not accept
        return False
    got, got_gradients = call(function, npu_arguments, npu_keywords, backward)
    if full_name(operator) in ILL_CONDITIONED:
        exact, exact_gradients = narrowed(call(function, widened(arguments), keywords, backward))
        compare_distances(got, want, exact, "forward")
        compare_distances(got_gradients, want_gradients, exact_gradients, "backward")
    else:
        undefined, tolerances = operator.name in UNDEFINED, EXACT.get(operator.name, {})
        compare(got, want, "forward", undefined, tolerances)
        compare(got_gradients, want_gradients, "backward", undefined, tolerances)
    compare(npu_arguments, arguments, "arguments afterwards", False, {})
    return True


def in_place(operator):
    def form(first, *rest, **keywords):
        return operator.inplace_variant(first.clone(), *rest, **keywords)
    return form


def into_out(operator):
    def form(*arguments, **keywords):
        expected = operator.op(*arguments, **keywords)
        single = isinstance(expected, torch.Tensor)
        results = []
        for make in (lambda like: like.new_empty(0), lambda like: torch.full_like(like, 1)):
            out = make(expected) if single else tuple(map(make, expected))
            operator.op(*arguments, **keywords, out=out)
            results.append(out)
        return results
    return form


def check(operator, limit=None):
    """Compares all forms on all (or the first `limit`) samples; returns the number of calls. Raises AssertionError on a difference."""
    count = 0
    backward = operator.supports_autograd
    # The CPU has a fused kernel for attention, but the npu uses PyTorch's formula: compares with that.
    attention = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with attention if "scaled_dot_product" in operator.name else contextlib.nullcontext():
        for sample in itertools.islice(operator.sample_inputs(CPU, torch.float32, requires_grad=backward), limit):
            count += compare_form(operator, operator.op, sample, backward)
            if operator.inplace_variant is not None and not sample.broadcasts_input:
                count += compare_form(operator, in_place(operator), sample, backward and operator.supports_inplace_autograd)
        if operator.supports_out:
            for sample in itertools.islice(operator.sample_inputs(CPU, torch.float32), limit):
                count += compare_form(operator, into_out(operator), sample, False)
    return count
