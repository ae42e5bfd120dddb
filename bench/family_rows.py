# SPDX-License-Identifier: Apache-2.0
"""Rows of families that PyTorch has a counterpart of: operands, arguments, and PyTorch's call.

A call of PyTorch's gets the output that ours made, or a tuple of them, and the operands; it writes there where it has a form that does, and returns
the result. In float64 it is what both are compared with.
"""
import dataclasses
import math
from typing import Callable

import torch
from torch.nn import functional

aten, nn = torch.ops.aten, torch._C._nn
COLUMNS = 1024


def flat(n):
    return (n,)


def matrix(n):
    return (n // COLUMNS, COLUMNS)


def columns(n):
    return (64, n // 64)


def one_row(n):
    return (COLUMNS,)


def images(n):
    return (n // 4096, 8, 512)    # samples, channels, places


@dataclasses.dataclass(frozen=True)
class Operand:
    """`kind`: a key of DRAWS."""
    kind: str
    shape: Callable = flat


@dataclasses.dataclass(frozen=True)
class Row:
    """`ours` and `torch`: operands -> arguments in the order of the C function, and (output, operands) -> result. `terms`: operands -> what an
    error is measured by where terms cancel. `most`: elements beyond which the row is not measured."""
    family: str
    operator: str
    operands: tuple
    ours: Callable
    torch: Callable
    label: str = ""
    terms: Callable = None
    exact: Callable = None    # operands in float64 -> the result, where PyTorch's formula cancels even there
    most: int = 1 << 24
    dtypes: tuple = ("FLOAT", "FLOAT16", "BFLOAT16")
    drawn: bool = False     # results are random numbers, which nobody else draws alike

    def title(self):
        return self.operator + (f", {self.label}" if self.label else "")

    def in_place(self):
        return "Inplace" in self.operator


def repeated(values, n):
    return values.repeat(-(-n // len(values)))[:n]


def indices(n):
    """Row numbers of a matrix, each once, in no order."""
    return torch.randperm(matrix(n)[0])


# Kind -> n -> numbers. `wide`, which stands in for normal ones where errors are measured, has every size that 16 bits hold with room for squares.
DRAWS = {
    "normal": lambda n: torch.randn(n),
    "wide": lambda n: torch.randn(n) * torch.exp2(torch.rand(n) * 13 - 8),
    "positive": lambda n: torch.rand(n) * 10 + 0.01,
    "unit": lambda n: torch.rand(n) * 1.98 - 0.99,
    "below zero": lambda n: torch.rand(n) * -10,
    "share": lambda n: torch.rand(n) * 0.98 + 0.01,
    "above one": lambda n: torch.rand(n) * 10 + 1,
    "near one": lambda n: torch.rand(n) * 0.01 + 0.995,
    "sign": lambda n: torch.randint(0, 2, (n,)) * 2.0 - 1,
    "zero": lambda n: torch.zeros(n),
    "mask": lambda n: torch.rand(n) < 0.5,
    "integer": lambda n: torch.randint(1, 1 << 20, (n,), dtype=torch.int32),
    "index": None,
}
ROWS = []


def add(family, operator, operands, ours, call, **rest):
    """`operands`: kinds, of the shape `shape`, or an Operand each."""
    shape = rest.pop("shape", flat)
    operands = tuple(Operand(o, shape) if isinstance(o, str) else o for o in operands)
    ROWS.append(Row(family, "aclnn" + operator, operands, ours, call, **rest))


def into(function, *arguments, **named):
    """A call that writes to `out`."""
    return lambda o, *x: function(*x, *arguments, out=o, **named)


def gradient(function, *arguments, place=None):
    """A call that writes to `grad_input`; the attributes stand behind the operands, or before operand `place`."""
    def call(o, *x):
        x = (*x[:place], *arguments, *x[place:]) if place is not None else (*x, *arguments)
        return function.grad_input(*x, grad_input=o)
    return call


def attributes(*values):
    return lambda *x: (*x, *values)


def pointwise():
    """Operands of one shape, the result of the same."""
    for kind, names in (("normal", "Abs Neg Sign Sin Cos Atan Asinh Sinh Cosh Tan Exp Exp2 Expm1 Ceil Floor Round Trunc Reciprocal Sinc"),
                        ("positive", "Sqrt Log Log1p Log10 Log2"), ("unit", "Acos Asin Atanh"), ("above one", "Acosh")):
        for name in names.split():
            add("unary", name, (kind,), attributes(), into(getattr(torch, name.lower())))
    add("unary", "RoundDecimals", ("normal",), attributes(2), into(torch.round, decimals=2))
    for name in ("IsPosInf", "IsNegInf"):
        add("unary", name, ("normal",), attributes(), into(getattr(torch, name.lower())))
    add("unary", "Signbit", ("normal",), lambda x: (x, {"out": torch.empty_like(x, dtype=torch.bool)}), into(torch.signbit))
    for name in ("IsFinite", "IsInf"):
        add("unary", name, ("normal",), attributes(), lambda o, x, f=getattr(torch, name.lower()): f(x))
    # Repeated in place, results settle: at infinity, at 1, or on two numbers in turns.
    for name in "Neg Sqrt Exp Log Sin Cos Tan Reciprocal".split():
        add("unary", "Inplace" + name, ("positive",), attributes(), lambda o, x, f=name.lower() + "_": getattr(x, f)())

    activation()
    arithmetic()
    comparison()
    selection()


# Twice the factors of the formula with tanh, which is that with a sigmoid.
GELU = 2 * math.sqrt(2 / math.pi), 0.044715


def normal_share(x):
    return torch.special.erfc(-x * math.sqrt(0.5)) / 2


def gelu_gradient(g, x):
    return g * (normal_share(x) + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def gelu_gradient_tanh(g, x):
    share = torch.sigmoid(GELU[0] * (x + GELU[1] * x**3))
    other = torch.sigmoid(-GELU[0] * (x + GELU[1] * x**3))
    return g * share * (1 + x * other * GELU[0] * (1 + 3 * GELU[1] * x * x))


def activation():
    add("activation", "Relu", ("normal",), attributes(), into(torch.clamp_min, 0))
    add("activation", "LeakyRelu", ("normal",), attributes(0.015625), into(nn.leaky_relu, 0.015625))
    add("activation", "Elu", ("normal",), attributes(1.0, 1.0, 1.0), into(nn.elu, 1.0, 1.0, 1.0))
    add("activation", "Hardsigmoid", ("normal",), attributes(), into(nn.hardsigmoid))
    add("activation", "Hardswish", ("normal",), attributes(), into(nn.hardswish))
    add("activation", "Sigmoid", ("normal",), attributes(), into(torch.sigmoid))
    add("activation", "Silu", ("normal",), attributes(), into(nn.silu))
    add("activation", "Tanh", ("normal",), attributes(), into(torch.tanh))
    add("activation", "Softplus", ("normal",), attributes(1.0, 20.0), into(nn.softplus, 1.0, 20.0))
    add("activation", "Gelu", ("normal",), attributes(), into(nn.gelu), exact=lambda x: x * normal_share(x))
    add("activation", "GeluV2", ("normal",), attributes(1), into(nn.gelu, approximate="tanh"), label="tanh",
        exact=lambda x: x * torch.sigmoid(GELU[0] * (x + GELU[1] * x**3)))
    for name, arguments in (("relu", ()), ("leaky_relu", (0.015625,)), ("elu", (1.0, 1.0, 1.0)), ("hardsigmoid", ()), ("hardswish", ()),
                            ("sigmoid", ()), ("tanh", ())):
        operator = "Inplace" + name.title().replace("_", "")
        add("activation", operator, ("normal",), attributes(*arguments), lambda o, x, f=getattr(aten, name + "_"), a=arguments: f(x, *a))

    two = ("normal", "normal")
    add("gradient", "GeluBackward", two, attributes(), gradient(aten.gelu_backward), exact=gelu_gradient)
    for name, arguments in (("SiluBackward", ()), ("HardsigmoidBackward", ()), ("ThresholdBackward", (0.5,)),
                            ("SoftplusBackward", (1.0, 20.0)), ("LeakyReluBackward", (0.015625, False))):
        function = getattr(aten, "".join("_" * (c.isupper() and i > 0) + c.lower() for i, c in enumerate(name)))
        add("gradient", name, two, attributes(*arguments), gradient(function, *arguments))
    add("gradient", "GeluBackwardV2", two, attributes("tanh"),
        lambda o, g, x: aten.gelu_backward.grad_input(g, x, approximate="tanh", grad_input=o), label="tanh",
        exact=gelu_gradient_tanh)
    add("gradient", "HardswishBackward", two, attributes(), lambda o, g, x: aten.hardswish_backward(g, x))
    add("gradient", "SigmoidBackward", ("normal", "share"), attributes(), gradient(aten.sigmoid_backward))
    add("gradient", "TanhBackward", ("normal", "unit"), attributes(), gradient(aten.tanh_backward))
    add("gradient", "EluBackward", two, lambda g, x: (g, 1.0, 1.0, 1.0, False, x), gradient(aten.elu_backward, 1.0, 1.0, 1.0, False, place=1))


def arithmetic():
    two = ("normal", "normal")
    for name in ("Add", "Sub"):
        function = getattr(torch, name.lower())
        magnitudes = {"terms": lambda x, y: torch.maximum(x.abs(), y.abs())}
        add("arithmetic", name, two, attributes(1.0), into(function), **magnitudes)
        add("arithmetic", name + "s", ("normal",), attributes(0.5, 1.0), into(function, 0.5), terms=lambda x: x.abs() + 0.5)
        add("arithmetic", "Inplace" + name, two, attributes(1.0), lambda o, x, y, f=name.lower() + "_": getattr(x, f)(y), **magnitudes)
        add("arithmetic", "Inplace" + name + "s", ("normal",), attributes(0.5, 1.0), lambda o, x, f=name.lower() + "_": getattr(x, f)(0.5),
            terms=lambda x: x.abs() + 0.5)
    add("arithmetic", "Rsubs", ("normal",), attributes(0.5, 1.0), lambda o, x: torch.rsub(x, 0.5), terms=lambda x: x.abs() + 0.5)
    for name in ("Mul", "Div"):
        function = getattr(torch, name.lower())
        add("arithmetic", name, two, attributes(), into(function))
        add("arithmetic", name + "s", ("normal",), attributes(0.75), into(function, 0.75))
        add("arithmetic", "Inplace" + name, ("normal", "sign"), attributes(), lambda o, x, y, f=name.lower() + "_": getattr(x, f)(y))
        add("arithmetic", "Inplace" + name + "s", ("normal",), attributes(-1.0), lambda o, x, f=name.lower() + "_": getattr(x, f)(-1.0))
    for name in ("Maximum", "Minimum", "Atan2", "LogAddExp", "LogAddExp2"):
        add("arithmetic", name, two, attributes(), into(getattr(torch, name.lower())),
            terms=(lambda x, y: torch.maximum(x.abs(), y.abs()).clamp(min=1)) if "Exp" in name else None)
    for mode, number in (("trunc", 1), ("floor", 2)):
        add("arithmetic", "DivMod", two, attributes(number), into(torch.div, rounding_mode=mode), label=mode)
        add("arithmetic", "DivMods", ("normal",), attributes(0.75, number), into(torch.div, 0.75, rounding_mode=mode), label=mode)
    add("arithmetic", "InplaceDivMod", ("normal", "sign"), attributes(2), lambda o, x, y: x.div_(y, rounding_mode="floor"), label="floor")
    add("arithmetic", "InplaceDivMods", ("normal",), attributes(-1.0, 2), lambda o, x: x.div_(-1.0, rounding_mode="floor"), label="floor")
    add("arithmetic", "FloorDivide", two, attributes(), into(torch.floor_divide))
    add("arithmetic", "FmodTensor", two, attributes(), into(torch.fmod))
    add("arithmetic", "RemainderTensorTensor", two, attributes(), into(torch.remainder))
    add("arithmetic", "Gcd", ("integer", "integer"), attributes(), into(torch.gcd), dtypes=("INT32",), most=1 << 20)
    add("arithmetic", "LinalgCross", two, attributes(0), lambda o, x, y: torch.linalg.cross(x, y, dim=0, out=o),
        shape=lambda n: (3, n // 3), terms=lambda x, y: x.norm(dim=0, keepdim=True) * y.norm(dim=0, keepdim=True))
    add("power", "PowTensorTensor", ("positive", "unit"), attributes(), into(torch.pow))
    for exponent in (2.0, 0.5, 1.75):
        add("power", "PowTensorScalar", ("positive",), attributes(exponent), into(torch.pow, exponent), label=str(exponent))
    add("power", "PowScalarTensor", ("normal",), lambda x: (1.75, x), lambda o, x: torch.pow(1.75, x, out=o))
    add("power", "InplacePowTensorTensor", ("positive", "near one"), attributes(), lambda o, x, y: x.pow_(y))
    add("power", "InplacePowTensorScalar", ("positive",), attributes(0.75), lambda o, x: x.pow_(0.75))


def comparison():
    for name in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le"):
        function, own = getattr(torch, name.lower()), name.lower() + "_"
        add("comparison", name + "Tensor", ("normal", "normal"), attributes(), into(function))
        add("comparison", name + "Scalar", ("normal",), attributes(0.5), into(function, 0.5))
        add("comparison", f"Inplace{name}Tensor", ("normal", "normal"), attributes(), lambda o, x, y, f=own: getattr(x, f)(y))
        add("comparison", f"Inplace{name}Scalar", ("normal",), attributes(0.5), lambda o, x, f=own: getattr(x, f)(0.5))
    for kind in ("normal", "mask"):
        for name in ("And", "Or", "Xor"):
            function, own = getattr(torch, "logical_" + name.lower()), f"logical_{name.lower()}_"
            add("comparison", "Logical" + name, (kind, kind), attributes(), into(function), label=kind)
            add("comparison", "InplaceLogical" + name, (kind, kind), attributes(), lambda o, x, y, f=own: getattr(x, f)(y), label=kind)
        add("comparison", "LogicalNot", (kind,), attributes(), into(torch.logical_not), label=kind)
        add("comparison", "InplaceLogicalNot", (kind,), attributes(), lambda o, x: x.logical_not_(), label=kind)


def selection():
    add("selection", "Clamp", ("normal",), attributes(-0.5, 0.5), into(torch.clamp, -0.5, 0.5))
    add("selection", "ClampMin", ("normal",), attributes(-0.5), into(torch.clamp_min, -0.5))
    add("selection", "ClampMax", ("normal",), attributes(0.5), into(torch.clamp_max, 0.5))
    add("selection", "InplaceClampMax", ("normal",), attributes(0.5), lambda o, x: x.clamp_max_(0.5))
    add("selection", "ClampTensor", ("normal",) * 3, attributes(), into(torch.clamp))
    add("selection", "ClampMinTensor", ("normal",) * 2, attributes(), into(torch.clamp_min))
    add("selection", "ClampMaxTensor", ("normal",) * 2, attributes(), into(torch.clamp_max))
    add("selection", "InplaceClampMinTensor", ("normal",) * 2, attributes(), lambda o, x, y: x.clamp_min_(y))
    add("selection", "InplaceClampMaxTensor", ("normal",) * 2, attributes(), lambda o, x, y: x.clamp_max_(y))
    add("selection", "Threshold", ("normal",), attributes(0.5, 0.25), into(aten.threshold.out, 0.5, 0.25))
    add("selection", "InplaceThreshold", ("normal",), attributes(0.5, 0.25), lambda o, x: aten.threshold_(x, 0.5, 0.25))
    add("selection", "SWhere", ("mask", "normal", "normal"), attributes(), into(torch.where))
    add("selection", "Heaviside", ("normal", "normal"), attributes(), into(torch.heaviside))
    add("selection", "NanToNum", ("normal",), attributes(0.0, 1.0, -1.0), into(torch.nan_to_num, 0.0, 1.0, -1.0))


def numbers(like):
    """An output for places in an axis."""
    return torch.empty(like.shape, dtype=torch.int64)


def reductions():
    for label, shape, axes in (("rows", matrix, [1]), ("columns", columns, [0]), ("all", matrix, [0, 1])):
        place = {"shape": shape, "label": label}
        size = {**place, "terms": lambda x, a=tuple(axes): x.abs().sum(a)}
        mean = {**place, "terms": lambda x, a=tuple(axes): x.abs().mean(a)}
        add("sum", "ReduceSum", ("normal",), lambda x, a=axes: (x, a, False, x.dtype), lambda o, x, a=axes: torch.sum(x, a, dtype=o.dtype, out=o), **size)
        add("sum", "Mean", ("normal",), lambda x, a=axes: (x, a, False, x.dtype), lambda o, x, a=axes: torch.mean(x, a, dtype=o.dtype, out=o), **mean)
        add("sum", "Norm", ("normal",), lambda x, a=axes: (x, 2.0, a, False), lambda o, x, a=axes: torch.linalg.vector_norm(x, 2, a, out=o), **place)
        add("extreme", "Amax", ("normal",), attributes(axes, False), into(torch.amax, axes), **place)
        add("extreme", "Any", (Operand("zero", shape),), attributes(axes, False), into(torch.any, axes), label=label)
        add("extreme", "All", (Operand("sign", shape),), attributes(axes, False), into(torch.all, axes), label=label)
    rows = {"shape": matrix, "label": "rows"}
    add("sum", "MeanV2", ("normal",), attributes([1], False, True), into(torch.mean, [1]), terms=lambda x: x.abs().mean(1), **rows)
    add("sum", "ReduceNansum", ("normal",), lambda x: (x, [1], False, x.dtype), lambda o, x: torch.nansum(x, [1], dtype=o.dtype, out=o),
        terms=lambda x: x.abs().sum(1), **rows)
    add("sum", "Prod", ("near one",), lambda x: (x, x.dtype), lambda o, x: torch.prod(x, dtype=o.dtype), label="all", most=1 << 18)
    add("sum", "ProdDim", ("near one",), lambda x: (x, 1, False, x.dtype), lambda o, x: torch.prod(x, 1, dtype=o.dtype, out=o), **rows)
    add("extreme", "Amin", ("normal",), attributes([1], False), into(torch.amin, [1]), **rows)
    for name in ("Max", "Min"):
        add("extreme", name, ("normal",), attributes(), into(getattr(torch, name.lower())), label="all")
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
        add("scan", "CumsumV2", ("normal",), attributes(axis, False, False), into(torch.cumsum, axis), **size)
        add("scan", "Cumprod", ("near one",), lambda x, a=axis: (x, a, x.dtype), lambda o, x, a=axis: torch.cumprod(x, a, dtype=o.dtype, out=o), **place)
        add("sort", "Sort", ("normal",), attributes(True, axis, False), lambda o, x, a=axis: torch.sort(x, stable=True, dim=a, out=o), most=1 << 21, **place)
        add("sort", "Argsort", ("normal",), attributes(axis, False), lambda o, x, a=axis: torch.argsort(x, dim=a), most=1 << 21, **place)


def terms_of_gradient(d, h, axes):
    """Of a normalisation's gradient, for d the gradient of its result h before the weight, but for the factor that all share."""
    return d.abs() + d.abs().mean(axes, keepdim=True) + h.abs() * (d * h).abs().mean(axes, keepdim=True)


def outputs(of_input, of_weight, of_bias, x, weight):
    """By name: the three gradients of a normalisation."""
    return {of_input: torch.empty_like(x), of_weight: torch.empty_like(weight), of_bias: torch.empty_like(weight)}


def normalizations():
    rows = {"shape": matrix}
    weight, bias = Operand("normal", one_row), Operand("normal", one_row)
    statistics_of_rows = (Operand("zero", lambda n: (n // COLUMNS, 1)), Operand("near one", lambda n: (n // COLUMNS, 1)))
    # A term of the results is as large as the largest of its row; else near zeros only the rounding of the mean would be seen.
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
        add("softmax", "Softmax", ("normal",), attributes(axis), into(torch.softmax, axis), **place)
        add("softmax", "LogSoftmax", ("normal",), attributes(axis), lambda o, x, a=axis: aten._log_softmax.out(x, a, False, out=o),
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
    add("copy", "InplaceCopy", two, attributes(), lambda o, x, y: x.copy_(y))
    add("copy", "Cast", ("normal",), lambda x: (x, other.get(x.dtype, torch.float32)), lambda o, x: o.copy_(x))
    for axis, label in ((0, "one block after the other"), (1, "row by row")):
        add("movement", "Cat", two, lambda x, y, a=axis: ([x, y], a), lambda o, x, y, a=axis: torch.cat([x, y], a, out=o), label=label, **rows)
    add("movement", "Stack", two, lambda x, y: ([x, y], 2), lambda o, x, y: torch.stack([x, y], 2, out=o), label="last axis", **rows)
    add("movement", "Permute", ("normal",), attributes([1, 0]), lambda o, x: o.copy_(x.permute(1, 0)), label="transposed", **rows)
    add("movement", "Permute", ("normal",), attributes([0, 2, 1, 3]), lambda o, x: o.copy_(x.permute(0, 2, 1, 3)), label="heads",
        shape=lambda n: (n // 4096, 8, 8, 64))
    add("movement", "Flatten", ("normal",), attributes(1), lambda o, x: o.copy_(x.flatten(1)), shape=images)
    add("movement", "Flip", ("normal",), attributes([1]), lambda o, x: torch.flip(x, [1]), **rows)
    add("movement", "Roll", ("normal",), attributes([3], [1]), lambda o, x: torch.roll(x, [3], [1]), **rows)
    add("movement", "Slice", ("normal",), attributes(1, 0, COLUMNS, 2), lambda o, x: o.copy_(x[:, 0:COLUMNS:2]), label="every second", **rows)
    add("movement", "Repeat", ("normal",), attributes([2, 3]), lambda o, x: x.repeat(2, 3), most=1 << 22, **rows)
    add("movement", "RepeatInterleaveInt", ("normal",), lambda x: (x, 3, 3 * x.numel()), lambda o, x: torch.repeat_interleave(x, 3), most=1 << 22)
    add("movement", "RepeatInterleaveIntWithDim", ("normal",), lambda x: (x, 3, 0, 3 * len(x)), lambda o, x: torch.repeat_interleave(x, 3, 0),
        most=1 << 22, **rows)
    add("movement", "Tril", ("normal",), attributes(0), into(torch.tril), **rows)
    add("movement", "Triu", ("normal",), attributes(0), into(torch.triu), **rows)
    add("movement", "InplaceTril", ("normal",), attributes(0), lambda o, x: x.tril_(), **rows)
    add("movement", "InplaceTriu", ("normal",), attributes(0), lambda o, x: x.triu_(), **rows)
    add("movement", "ConstantPadNd", ("normal",), attributes([1, 1], 0.5), lambda o, x: aten.constant_pad_nd(x, [1, 1], 0.5), **rows)
    add("movement", "ReflectionPad1d", ("normal",), attributes([2, 2]), into(aten.reflection_pad1d.out, [2, 2]), **rows)
    add("movement", "Im2col", ("normal",), attributes([3, 3], [1, 1], [1, 1], [1, 1]),
        into(aten.im2col.out, [3, 3], [1, 1], [1, 1], [1, 1]), shape=lambda n: (n // 4096, 4, 32, 32), most=1 << 20)
    index = Operand("index")
    add("index", "GatherV2", ("normal", index), lambda x, i: (x, 0, i), lambda o, x, i: torch.index_select(x, 0, i, out=o), **rows)
    add("index", "IndexSelect", ("normal", index), lambda x, i: (x, 0, i), lambda o, x, i: torch.index_select(x, 0, i, out=o), **rows)
    add("index", "Embedding", ("normal", index), attributes(), lambda o, x, i: torch.embedding(x, i), **rows)
    add("index", "IndexCopy", ("normal", index, "normal"), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: torch.index_copy(x, 0, i, y, out=o), **rows)
    add("index", "InplaceIndexCopy", ("normal", index, "normal"), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: x.index_copy_(0, i, y), **rows)
    add("index", "InplaceIndexFillTensor", ("normal",), attributes(1, [1, 7, 500], 0.5),
        lambda o, x: x.index_fill_(1, torch.tensor([1, 7, 500]), 0.5), **rows)
    add("fill", "InplaceFillScalar", ("normal",), attributes(0.5), lambda o, x: x.fill_(0.5))
    add("fill", "InplaceZero", ("normal",), attributes(), lambda o, x: x.zero_())
    add("fill", "InplaceOne", ("normal",), attributes(), lambda o, x: x.fill_(1))
    add("fill", "InplaceMaskedFillScalar", ("normal", "mask"), attributes(0.5), lambda o, x, m: x.masked_fill_(m, 0.5))
    add("fill", "InplaceMaskedFillTensor", ("normal", "mask", Operand("normal", lambda n: ())), attributes(), lambda o, x, m, v: x.masked_fill_(m, v))


def generators():
    drawn = {"drawn": True}
    add("generator", "InplaceUniform", ("normal",), attributes(0.0, 1.0, 1, 0), lambda o, x: x.uniform_(), **drawn)
    add("generator", "InplaceNormal", ("normal",), attributes(0.0, 1.0, 1, 0), lambda o, x: x.normal_(), **drawn)
    add("generator", "InplaceBernoulli", ("normal",), attributes(0.5, 1, 0), lambda o, x: x.bernoulli_(0.5), **drawn)
    # The operand is where the result goes; these have no other.
    add("generator", "NormalFloatFloat", ("zero",), lambda x: (0.0, 1.0, 1, 0, {"out": x}), lambda o, x: torch.normal(0.0, 1.0, x.shape, out=o), **drawn)
    add("generator", "Arange", ("zero",), lambda x: (0, len(x), 1, {"out": x}), lambda o, x: torch.arange(0, len(x), 1, out=o))
    add("generator", "Linspace", ("zero",), lambda x: (0.0, 1.0, len(x), {"out": x}), lambda o, x: torch.linspace(0.0, 1.0, len(x), out=o))
    add("generator", "Eye", ("zero",), lambda x: (*x.shape, {"out": x}), lambda o, x: torch.eye(*x.shape, out=o), shape=matrix)


pointwise()
reductions()
normalizations()
movements()
generators()
