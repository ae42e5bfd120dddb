# SPDX-License-Identifier: Apache-2.0
"""All rows for which PyTorch has a counterpart."""
import torch
from torch.nn import functional

from index_rows import generators, indexing, selections
from model_rows import models
from pointwise_rows import pointwise
from row import COLUMNS, ROWS, Operand, add, aten, attributes, columns, formula, given, images, into, matrix, one_row
from scatter_rows import scatters


def numbers(like):
    """An output for positions along an axis."""
    return torch.empty(like.shape, dtype=torch.int64)


def reductions():
    for label, shape, axes in (("rows", matrix, [1]), ("columns", columns, [0]), ("all", matrix, [0, 1])):
        place = {"shape": shape, "label": label}
        size = {**place, "terms": lambda x, a=tuple(axes): x.abs().sum(a)}
        mean = {**place, "terms": lambda x, a=tuple(axes): x.abs().mean(a)}
        add("sum", "ReduceSum", ("normal",), lambda x, a=axes: (x, a, False, x.dtype), lambda o, x, a=axes: torch.sum(x, a, dtype=o.dtype, out=o), **size)
        add("sum", "Mean", ("normal",), lambda x, a=axes: (x, a, False, x.dtype), lambda o, x, a=axes: torch.mean(x, a, dtype=o.dtype, out=o), **mean)
        add("sum", "Norm", ("normal",), lambda x, a=axes: (x, 2.0, a, False), lambda o, x, a=axes: torch.linalg.vector_norm(x, 2, a, out=o), **place)
        add("sum", "LinalgVectorNorm", ("normal",), lambda x, a=axes: (x, 3.0, a, False, x.dtype),
            lambda o, x, a=axes: torch.linalg.vector_norm(x, 3, a, out=o), most=1 << 21, **place)
        add("sum", "LinalgVectorNorm", ("normal",), lambda x, a=axes: (x, 2.3, a, False, x.dtype),
            lambda o, x, a=axes: torch.linalg.vector_norm(x, 2.3, a, out=o), most=1 << 18, shape=shape, label=label + ", order 2.3")
        add("variance", "VarCorrection", ("normal",), attributes(axes, 1, False), into(torch.var, axes, correction=1), **place)
        add("variance", "Std", ("normal",), attributes(axes, 1, False), into(torch.std, axes, correction=1), **place)
        formula("extreme", "Amax", "normal", ours=(axes, False), theirs=(axes,), **place)
        formula("extreme", "Any", "zero", ours=(axes, False), theirs=(axes,), **place)
        formula("extreme", "All", "sign", ours=(axes, False), theirs=(axes,), **place)
    rows = {"shape": matrix, "label": "rows"}
    formula("sum", "MeanV2", "normal", "mean", ([1], False, True), ([1],), terms=lambda x: x.abs().mean(1), **rows)
    add("sum", "ReduceNansum", ("normal",), lambda x: (x, [1], False, x.dtype), lambda o, x: torch.nansum(x, [1], dtype=o.dtype, out=o),
        terms=lambda x: x.abs().sum(1), **rows)
    add("sum", "Prod", ("near one",), lambda x: (x, x.dtype), lambda o, x: torch.prod(x, dtype=o.dtype), label="all", most=1 << 18)
    add("sum", "ProdDim", ("near one",), lambda x: (x, 1, False, x.dtype), lambda o, x: torch.prod(x, 1, dtype=o.dtype, out=o), **rows)
    formula("extreme", "Amin", "normal", ours=([1], False), theirs=([1],), **rows)
    formula("extreme", "Max Min", "normal", label="all")
    for name in ("Max", "Min"):
        for label, shape, axis in (("rows", matrix, 1), ("columns", columns, 0)):
            place = {"shape": shape, "label": label}
            add("extreme", "Arg" + name, ("normal",), lambda x, a=axis: (x, a, False, {"out": numbers(x.select(a, 0))}),
                into(getattr(torch, "arg" + name.lower()), axis), **place)
            add("extreme", name + "Dim", ("normal",), lambda x, a=axis: (x, a, False, {"indices": numbers(x.select(a, 0))}),
                into(getattr(torch, name.lower()), axis), **place)
    for label, shape, axis in (("rows", matrix, 1), ("columns", columns, 0)):
        place = {"shape": shape, "label": label}
        size = {**place, "terms": lambda x, a=axis: x.abs().cumsum(a)}
        add("scan", "Cumsum", ("normal",), lambda x, a=axis: (x, a, x.dtype), lambda o, x, a=axis: torch.cumsum(x, a, dtype=o.dtype, out=o), **size)
        formula("scan", "CumsumV2", "normal", "cumsum", (axis, False, False), (axis,), **size)
        add("scan", "Cumprod", ("near one",), lambda x, a=axis: (x, a, x.dtype), lambda o, x, a=axis: torch.cumprod(x, a, dtype=o.dtype, out=o), **place)
        add("sort", "Sort", ("normal",), attributes(True, axis, False), lambda o, x, a=axis: torch.sort(x, stable=True, dim=a, out=o), most=1 << 21, **place)
        add("sort", "Argsort", ("normal",), attributes(axis, False), lambda o, x, a=axis: torch.argsort(x, dim=a), most=1 << 21, **place)
    for label, shape, k in (("vocabulary", given(8, 151936), 50), ("experts", given(4096, 64), 8)):    # of a language model
        add("sort", "Topk", ("normal",), lambda x, k=k: (x, k, -1, True, True), lambda o, x, k=k: torch.topk(x, k, out=o), shape=shape, label=label)
    vocabulary = {"shape": given(8, 151936), "dtypes": ("FLOAT", "FLOAT16", "BFLOAT16")}
    add("sort", "ApplyTopKTopP", ("normal",), lambda x: (x, None, torch.full((8,), 50, dtype=torch.int32)),
        lambda o, x: x.masked_fill(x < torch.topk(x, 50).values[:, -1:], -torch.inf), label="k 50", **vocabulary)


def terms_of_gradient(d, h, axes):
    """The terms of a normalisation's gradient, without their common factor; d is the gradient of its result h before the weight."""
    return d.abs() + d.abs().mean(axes, keepdim=True) + h.abs() * (d * h).abs().mean(axes, keepdim=True)


def outputs(of_input, of_weight, of_bias, x, weight):
    """The three gradients of a normalisation, by name."""
    return {of_input: torch.empty_like(x), of_weight: torch.empty_like(weight), of_bias: torch.empty_like(weight)}


def normalizations():
    rows = {"shape": matrix}
    weight, bias = Operand("normal", one_row), Operand("normal", one_row)
    statistics_of_rows = (Operand("zero", lambda n: (n // COLUMNS, 1)), Operand("near one", lambda n: (n // COLUMNS, 1)))
    # A term of the results is as large as the largest of its row; otherwise, near zero, only the rounding of the mean would be measured.
    add("norm", "LayerNorm", ("normal", weight, bias), lambda x, w, b: (x, [COLUMNS], w, b, 1e-5),
        lambda o, x, w, b: functional.layer_norm(x, [COLUMNS], w, b, 1e-5),
        terms=lambda x, w, b: (functional.layer_norm(x, [COLUMNS], eps=1e-5) * w).abs() + b.abs(), **rows)
    add("norm", "LayerNormBackward", ("normal", "normal", *statistics_of_rows, weight, bias),
        lambda g, x, m, r, w, b: (g, x, [COLUMNS], m, r, w, b, [True, True, True], outputs("gradInputOut", "gradWeightOut", "gradBiasOut", x, w)),
        lambda o, g, x, m, r, w, b: aten.native_layer_norm_backward(g, x, [COLUMNS], m, r, w, b, [True, True, True]),
        terms=lambda g, x, m, r, w, b: terms_of_gradient(g * w, (x - m) * r, [1]), **rows)
    add("norm", "RmsNorm", ("normal", weight), attributes(1e-6), lambda o, x, w: functional.rms_norm(x, [COLUMNS], w, 1e-6), **rows)
    add("norm", "AddRmsNorm", ("normal", "normal", weight), 
        lambda x, y, w: (x, y, w, 1e-6, {"yOut": torch.empty_like(x), "rstdOut": torch.empty(len(x), 1), "xOut": torch.empty_like(x)}),
        lambda o, x, y, w: functional.rms_norm(x + y, [COLUMNS], w, 1e-6),
        label="two calls", **rows)
    channel = Operand("normal", lambda n: (8,))
    add("norm", "GroupNorm", ("normal", channel, channel), lambda x, w, b: (x, w, b, x.shape[0], 8, 512, 4, 1e-5),
        lambda o, x, w, b: functional.group_norm(x, 4, w, b, 1e-5), shape=images,
        terms=lambda x, w, b: (functional.group_norm(x, 4, eps=1e-5) * w[:, None]).abs() + b[:, None].abs())
    groups = (Operand("zero", lambda n: (n // 4096, 4)), Operand("near one", lambda n: (n // 4096, 4)))
    add("norm", "GroupNormBackward", ("normal", "normal", *groups, channel),
        lambda g, x, m, r, w: (g, x, m, r, w, x.shape[0], 8, 512, 4, [True, True, True], outputs("gradInput", "gradGammaOut", "gradBetaOut", x, w)),
        lambda o, g, x, m, r, w: aten.native_group_norm_backward(g, x, m, r, w, x.shape[0], 8, 512, 4, [True, True, True]), shape=images,
        terms=lambda g, x, m, r, w: terms_of_gradient(
            (g * w[:, None]).view(*m.shape, -1), (x.view(*m.shape, -1) - m[..., None]) * r[..., None], [2]).view(x.shape))
    for label, shape, axis in (("rows", matrix, 1), ("columns", columns, 0)):
        place = {"shape": shape, "label": label}
        formula("softmax", "Softmax", "normal", ours=(axis,), vanishing=True, **place)
        formula("softmax", "LogSoftmax", "normal", "aten._log_softmax.out", (axis,), (axis, False),
            terms=lambda x, a=axis: x.abs() + x.logsumexp(a, keepdim=True).abs(), **place)
        add("softmax", "SoftmaxBackward", ("normal", "share"), attributes(axis),
            lambda o, g, y, a=axis: aten._softmax_backward_data.out(g, y, a, o.dtype, grad_input=o),
            terms=lambda g, y, a=axis: y * (g.abs() + (g * y).abs().sum(a, keepdim=True)), **place)
        add("softmax", "LogSoftmaxBackward", ("normal", "below zero"), attributes(axis),
            lambda o, g, y, a=axis: aten._log_softmax_backward_data.out(g, y, a, o.dtype, out=o),
            terms=lambda g, y, a=axis: g.abs() + y.exp() * g.abs().sum(a, keepdim=True), **place)


def movements():
    rows, two = {"shape": matrix}, ("normal", "normal")
    other = {torch.float32: torch.float16}
    formula("copy", "InplaceCopy", "normal, normal")
    add("copy", "Complex", two, lambda x, y: (x, y, {"out": torch.empty_like(x, dtype=x.dtype.to_complex())}), into(torch.complex),
        dtypes=("FLOAT", "DOUBLE"))
    add("copy", "Cast", ("normal",), lambda x: (x, other.get(x.dtype, torch.float32)), lambda o, x: o.copy_(x))
    for axis, label in ((0, "one block after the other"), (1, "row by row")):
        add("movement", "Cat", two, lambda x, y, a=axis: ([x, y], a), lambda o, x, y, a=axis: torch.cat([x, y], a, out=o), label=label, **rows)
    add("movement", "Stack", two, lambda x, y: ([x, y], 2), lambda o, x, y: torch.stack([x, y], 2, out=o), label="last axis", **rows)
    for axis, label in ((0, "one block after the other"), (1, "row by row")):
        def halves(x, a=axis):
            return [x.shape[a] // 2] * 2
        add("movement", "SplitWithSize", ("normal",), lambda x, a=axis, s=halves: (x, s(x), a, {"out": [y.clone() for y in x.split(s(x), a)]}),
            lambda o, x, a=axis, s=halves: torch.split_with_sizes_copy(x, s(x), a, out=o) or o, label=label, **rows)
    add("movement", "Permute", ("normal",), attributes([1, 0]), lambda o, x: o.copy_(x.permute(1, 0)), label="transposed", **rows)
    add("movement", "Permute", ("normal",), attributes([1, 0]), lambda o, x: o.copy_(x.permute(1, 0)), label="1024 x 1024, transposed",
        shape=given(1024, 1024))
    add("movement", "Permute", ("normal",), attributes([0, 2, 1, 3]), lambda o, x: o.copy_(x.permute(0, 2, 1, 3)), label="heads",
        shape=lambda n: (n // 4096, 8, 8, 64))
    add("movement", "Flatten", ("normal",), attributes(1), lambda o, x: o.copy_(x.flatten(1)), shape=images)
    formula("movement", "Flip", "normal", ours=([1],), **rows)
    formula("movement", "Roll", "normal", ours=([3], [1]), **rows)
    add("movement", "Slice", ("normal",), attributes(1, 0, COLUMNS, 2), lambda o, x: o.copy_(x[:, 0:COLUMNS:2]), label="every second", **rows)
    add("movement", "Repeat", ("normal",), attributes([2, 3]), lambda o, x: x.repeat(2, 3), most=1 << 22, **rows)
    add("movement", "RepeatInterleaveInt", ("normal",), lambda x: (x, 3, 3 * x.numel()), lambda o, x: torch.repeat_interleave(x, 3), most=1 << 22)
    add("movement", "RepeatInterleaveIntWithDim", ("normal",), lambda x: (x, 3, 0, 3 * len(x)), lambda o, x: torch.repeat_interleave(x, 3, 0),
        most=1 << 22, **rows)
    formula("movement", "Tril Triu InplaceTril InplaceTriu", "normal", ours=(0,), **rows)
    formula("movement", "ConstantPadNd", "normal", "aten.constant_pad_nd", ([1, 1], 0.5), **rows)
    formula("movement", "ReflectionPad1d", "normal", "aten.reflection_pad1d.out", ([2, 2],), **rows)
    formula("movement", "Im2col", "normal", "aten.im2col.out", ([3, 3], [1, 1], [1, 1], [1, 1]), shape=lambda n: (n // 4096, 4, 32, 32), most=1 << 20)
    formula("fill", "InplaceFillScalar", "normal", "fill_", (0.5,))
    formula("fill", "InplaceZero", "normal")
    formula("fill", "InplaceOne", "normal", "fill_", theirs=(1,))
    formula("fill", "InplaceMaskedFillScalar", "normal, mask", "masked_fill_", (0.5,))
    add("fill", "InplaceMaskedFillTensor", ("normal", "mask", Operand("normal", lambda n: ())), attributes(), lambda o, x, m, v: x.masked_fill_(m, v))


def all_rows():
    for make in (pointwise, reductions, selections, normalizations, movements, indexing, scatters, generators, models):
        make()
    return ROWS
