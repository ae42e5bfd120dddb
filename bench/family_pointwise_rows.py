# SPDX-License-Identifier: Apache-2.0
"""Rows of one formula for each element."""
import math

import torch

from family_row import add, attributes, gradient, into

aten, nn = torch.ops.aten, torch._C._nn


# PyTorch's formulas that are no exact ones even in float64: pi is rounded, so that sinc has no zeros; so is a sixth, to float32.
def sinc(x):
    whole = x.round()
    distance = torch.pi * (x - whole)
    return torch.where(x == 0, 1.0, torch.where(whole.remainder(2) == 1, -1.0, 1.0) * distance.sin() / (torch.pi * x))


HARD = {"Hardsigmoid": lambda x: (x / 6 + 0.5).clamp(0, 1), "Hardswish": lambda x: x * ((x + 3) / 6).clamp(0, 1)}


def hardsigmoid_gradient(g, x):
    return torch.where(x.abs() < 3, g / 6, 0.0)


def hardswish_gradient(g, x):
    return g * torch.where(x.abs() < 3, (x + 1.5) / 3, (x > 0).double())


# Steps that are defined to be rounded to float32.
def rounded_to_hundredths(x):
    return ((x.float() * 100).round() / 100).double()


def cut_off_quotient(x, y):
    return (x.float() / y.float()).trunc().double()


def pointwise():
    """Operands of one shape, the result of the same."""
    for kind, names in (("normal", "Abs Neg Sign Sin Cos Atan Asinh Sinh Cosh Tan Exp Exp2 Expm1 Ceil Floor Round Trunc Reciprocal Sinc"),
                        ("positive", "Sqrt Log Log1p Log10 Log2"), ("unit", "Acos Asin Atanh"), ("above one", "Acosh")):
        for name in names.split():
            add("unary", name, (kind,), attributes(), into(getattr(torch, name.lower())), exact=sinc if name == "Sinc" else None)
    add("unary", "RoundDecimals", ("normal",), attributes(2), into(torch.round, decimals=2), exact=rounded_to_hundredths)
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


def share(x):
    """Of x in its GELU: the normal distribution."""
    return torch.special.erfc(-x * math.sqrt(0.5)) / 2


# The form with tanh is one with a sigmoid, of this.
GELU_SLOPE, GELU_CUBE = 2 * math.sqrt(2 / math.pi), 0.044715


def share_of_tanh(x):
    return torch.sigmoid(GELU_SLOPE * (x + GELU_CUBE * x**3))


def gelu_gradient(g, x):
    return g * (share(x) + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def gelu_gradient_of_tanh(g, x):
    return g * share_of_tanh(x) * (1 + x * share_of_tanh(-x) * GELU_SLOPE * (1 + 3 * GELU_CUBE * x * x))


# By PyTorch's names of the forms.
GELU = {"none": lambda x: x * share(x), "tanh": lambda x: x * share_of_tanh(x)}
GELU_GRADIENT = {"none": gelu_gradient, "tanh": gelu_gradient_of_tanh}


def activation():
    add("activation", "Relu", ("normal",), attributes(), into(torch.clamp_min, 0))
    add("activation", "LeakyRelu", ("normal",), attributes(0.015625), into(nn.leaky_relu, 0.015625))
    add("activation", "Elu", ("normal",), attributes(1.0, 1.0, 1.0), into(nn.elu, 1.0, 1.0, 1.0))
    for name, formula in HARD.items():
        add("activation", name, ("normal",), attributes(), into(getattr(nn, name.lower())), exact=formula)
    add("activation", "Sigmoid", ("normal",), attributes(), into(torch.sigmoid))
    add("activation", "Silu", ("normal",), attributes(), into(nn.silu))
    add("activation", "Tanh", ("normal",), attributes(), into(torch.tanh))
    add("activation", "Softplus", ("normal",), attributes(1.0, 20.0), into(nn.softplus, 1.0, 20.0))
    for operator, arguments, form in (("Gelu", (), "tanh"), ("GeluV2", (0,), "none"), ("GeluV2", (1,), "tanh")):
        add("activation", operator, ("normal",), attributes(*arguments), into(nn.gelu, approximate=form), label=form, exact=GELU[form])
    for name, arguments in (("relu", ()), ("leaky_relu", (0.015625,)), ("elu", (1.0, 1.0, 1.0)), ("hardsigmoid", ()), ("hardswish", ()),
                            ("sigmoid", ()), ("tanh", ())):
        operator = "Inplace" + name.title().replace("_", "")
        # Repeated in place, numbers below 3 become subnormal.
        kind = "beyond three" if name == "hardswish" else "normal"
        add("activation", operator, (kind,), attributes(*arguments), lambda o, x, f=getattr(aten, name + "_"), a=arguments: f(x, *a),
            exact=HARD.get(name.title()))

    two = ("normal", "normal")
    for operator, arguments, form in (("GeluBackward", (), "tanh"), ("GeluBackwardV2", ("none",), "none"), ("GeluBackwardV2", ("tanh",), "tanh")):
        add("gradient", operator, two, attributes(*arguments), lambda o, g, x, f=form: aten.gelu_backward.grad_input(g, x, approximate=f, grad_input=o),
            label=form, exact=GELU_GRADIENT[form], terms=lambda g, x: g.abs())
    cancelling = {"terms": lambda g, x: g.abs()}
    for name, arguments, rest in (("SiluBackward", (), cancelling), ("HardsigmoidBackward", (), {"exact": hardsigmoid_gradient}),
                                  ("ThresholdBackward", (0.5,), {}), ("SoftplusBackward", (1.0, 20.0), {}),
                                  ("LeakyReluBackward", (0.015625, False), {})):
        function = getattr(aten, "".join("_" * (c.isupper() and i > 0) + c.lower() for i, c in enumerate(name)))
        add("gradient", name, two, attributes(*arguments), gradient(function, *arguments), **rest)
    add("gradient", "HardswishBackward", ("normal", "off three"), attributes(), lambda o, g, x: aten.hardswish_backward(g, x),
        exact=hardswish_gradient, **cancelling)
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
        add("arithmetic", "DivMod", two, attributes(number), into(torch.div, rounding_mode=mode), label=mode,
            exact=cut_off_quotient if mode == "trunc" else None)
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


def truth(x):
    return {"out": torch.empty_like(x, dtype=torch.bool)}


def comparison():
    for name in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le"):
        function, own = getattr(torch, name.lower()), name.lower() + "_"
        add("comparison", name + "Tensor", ("normal", "normal"), lambda x, y: (x, y, truth(x)), into(function))
        add("comparison", name + "Scalar", ("normal",), lambda x: (x, 0.5, truth(x)), into(function, 0.5))
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
