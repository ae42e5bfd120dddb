# SPDX-License-Identifier: Apache-2.0
"""Composites that the CPU computes in one call but the device in many: attention and recurrent layers.

The forward runs the operator on CPU tensors over the memory of the npu tensors, and these record its derivative; the backward
runs that derivative.
"""

import contextlib

import torch
from torch._C import DispatchKey
from torch.utils import _pytree as pytree

from . import devices, generators
from .memory import on_cpu, on_npu, wait

aten = torch.ops.aten

OPERATORS = (aten.scaled_dot_product_attention.default, aten.lstm.input, aten.lstm.data, aten.gru.input, aten.gru.data,
             aten.rnn_tanh.input, aten.rnn_tanh.data, aten.rnn_relu.input, aten.rnn_relu.data)
_TENSOR = object()
_PLAIN = (torch.Tensor, torch.nn.Parameter)


class _Call(torch.autograd.Function):
    """The operator on the tensors among its arguments; `structure` and `leaves` are those arguments, flattened, with _TENSOR for each."""

    @staticmethod
    def forward(ctx, operator, structure, leaves, *tensors):
        wait(tensors[0].device.index)
        ctx.call = operator, structure, leaves
        ctx.cpu, ctx.results = [_leaf_on_cpu(tensor) for tensor in tensors], None
        drops = generators.draws(operator, *pytree.tree_unflatten(leaves, structure))
        # If the program packs the tensors saved for the backward (checkpoints, save_on_cpu), nothing else is saved.
        if drops or torch._C._autograd._top_saved_tensors_default_hooks(False) is None:
            with generators.default_of(tensors[0].device) if drops else contextlib.nullcontext():
                results = ctx.results = _recorded(*ctx.call, ctx.cpu)
        else:
            results, ctx.cpu = _results(*ctx.call, ctx.cpu), None
        ctx.save_for_backward(*tensors)    # so that a change of one before the backward is detected
        ctx.set_materialize_grads(False)
        return tuple(on_npu(result.detach(), tensors[0].device) for result in results)

    @staticmethod
    def backward(ctx, *gradients):
        tensors = ctx.saved_tensors
        wanted = [index for index, tensor in enumerate(tensors) if ctx.needs_input_grad[3 + index]]
        given = [index for index, gradient in enumerate(gradients) if gradient is not None]
        found = [None] * len(tensors)
        if torch.is_grad_enabled():    # second derivatives: computed by the device's own operators
            operator, structure, leaves = ctx.call
            inputs = [tensor.view_as(tensor) for tensor in tensors]    # one tensor may be several arguments
            outputs = _results(_composite(operator), structure, leaves, inputs)
            weights = [gradients[index] for index in given]
        else:
            wait(tensors[0].device.index)
            inputs, outputs, weights = ctx.cpu, ctx.results, [on_cpu(gradients[index]) for index in given]
            if outputs is None:
                inputs = [_leaf_on_cpu(tensor) for tensor in tensors]
                outputs = _recorded(*ctx.call, inputs)
        for index, gradient in zip(wanted, torch.autograd.grad(
                [outputs[index] for index in given], [inputs[index] for index in wanted], weights, allow_unused=True,
                retain_graph=True, create_graph=torch.is_grad_enabled())):
            found[index] = on_npu(gradient, tensors[0].device) if gradient is not None and gradient.is_cpu else gradient
        return (None, None, None, *found)


def _leaf_on_cpu(tensor):
    return (tensor if tensor.is_cpu else on_cpu(tensor)).detach().requires_grad_(tensor.requires_grad)


def _recorded(operator, structure, leaves, tensors):
    # The program must not pack tensors that the CPU's own operators save: a checkpoint would recompute its part just for them.
    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, lambda saved: saved):
        return _results(operator, structure, leaves, tensors)


def _results(operator, structure, leaves, tensors):
    left = iter(tensors)
    args, kwargs = pytree.tree_unflatten([next(left) if leaf is _TENSOR else leaf for leaf in leaves], structure)
    results = operator(*args, **kwargs)
    return results if isinstance(results, (tuple, list)) else (results,)


def _composite(operator):
    return lambda *args, **kwargs: operator._op_dk(DispatchKey.CompositeImplicitAutograd, *args, **kwargs)


def make(operator, counted):
    """The kernel of `operator` for autograd: with its derivative if one is needed, otherwise the device's kernel.

    counted: wraps the function that computes on the CPU.
    """
    composite = _composite(operator)
    single = len(operator._schema.returns) == 1

    @counted
    def with_derivative(structure, leaves, tensors):
        # The lengths of packed sequences stay on the CPU.
        devices.check(tensor for tensor in tensors if tensor.dtype != torch.int64)
        results = _Call.apply(operator, structure, leaves, *tensors)
        return results[0] if single else results

    def kernel(*args, **kwargs):
        leaves, structure = pytree.tree_flatten((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        if torch._C._functorch.peek_interpreter_stack() is not None or any(type(tensor) not in _PLAIN for tensor in tensors):
            return composite(*args, **kwargs)
        if not torch.is_grad_enabled() or not any(tensor.requires_grad for tensor in tensors):
            return operator._op_dk(DispatchKey.PrivateUse1, *args, **kwargs)
        return with_derivative(structure, [_TENSOR if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves], tensors)

    return kernel


def name_of(operator):
    return operator._schema.name.partition("::")[2] + ("." + operator._overloadname if operator._overloadname != "default" else "")
