# SPDX-License-Identifier: Apache-2.0
"""Rows with one formula per element: data, and reference formulas where PyTorch's own is not accurate enough."""
import functools
import math

import portacl
import torch

from row import add, aten, formula, onednn

TRUTH = {"out": "bool"}


# PyTorch's formulas that are not exact even in float64: it rounds pi, so that sinc has no zeros, and a sixth to float32.
def sinc(x):
    whole = x.round()
    distance = torch.pi * (x - whole)
    return torch.where(x == 0, 1.0, torch.where(whole.remainder(2) == 1, -1.0, 1.0) * distance.sin() / (torch.pi * x))


def hardsigmoid(x):
    return (x / 6 + 0.5).clamp(0, 1)


def hardswish(x):
    return x * ((x + 3) / 6).clamp(0, 1)


def hardsigmoid_gradient(g, x):
    return torch.where(x.abs() < 3, g / 6, 0.0)


def hardswish_gradient(g, x):
    return g * torch.where(x.abs() < 3, (x + 1.5) / 3, (x > 0).double())


# Intermediate results that are defined to be rounded to float32.
def rounded_to_hundredths(x):
    return ((x.float() * 100).round() / 100).double()


def truncated_quotient(x, y):
    return (x.float() / y.float()).trunc().double()


def share(x):
    """The factor of x in its GELU: the normal distribution."""
    return torch.special.erfc(-x * math.sqrt(0.5)) / 2


# The form with tanh equals one with a sigmoid of this polynomial.
GELU_SLOPE, GELU_CUBE = 2 * math.sqrt(2 / math.pi), 0.044715


def share_of_tanh(x):
    return torch.sigmoid(GELU_SLOPE * (x + GELU_CUBE * x**3))


def gelu_gradient(g, x):
    return g * (share(x) + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def gelu_gradient_of_tanh(g, x):
    return g * share_of_tanh(x) * (1 + x * share_of_tanh(-x) * GELU_SLOPE * (1 + 3 * GELU_CUBE * x * x))


def larger(x, y):
    return torch.maximum(x.abs(), y.abs())


def larger_or_one(x, y):
    return larger(x, y).clamp(min=1)


def beside_half(x):
    return x.abs() + 0.5


def first(g, x):
    return g.abs()


def unary():
    row = functools.partial(formula, "unary")
    for name, schema in portacl.operators().items():
        if schema["torch"] and not name.startswith("aclnnInplace"):    # "erf(normal)", from the operator's row in the sources
            function, kinds = schema["torch"].removesuffix(")").split("(")
            row(name.removeprefix("aclnn"), kinds, function)
    row("Sinc", "normal", exact=sinc)
    row("RoundDecimals", "normal", "round", (2,), ({"decimals": 2},), exact=rounded_to_hundredths)
    row("Signbit", "normal", ours=(TRUTH,), theirs=())
    # Repeated in place, results converge: to infinity, to 1, or to two alternating values.
    row("InplaceNeg InplaceSqrt InplaceExp InplaceLog InplaceSin InplaceCos InplaceTan InplaceReciprocal", "positive")


def activation():
    row = functools.partial(formula, "activation")
    row("Sigmoid", "normal", peers=onednn(torch.sigmoid))
    row("Tanh", "normal", peers=onednn(torch.tanh))
    row("Relu", "normal", "clamp_min", theirs=(0,), peers=onednn(torch.relu))
    row("LeakyRelu", "normal", "aten.leaky_relu.out", (0.015625,))
    row("Elu", "normal", "aten.elu.out", (1.0, 1.0, 1.0))
    row("Hardsigmoid", "normal", "aten.hardsigmoid.out", exact=hardsigmoid)
    row("Hardswish", "normal", "aten.hardswish.out", exact=hardswish)
    row("Silu", "normal", "aten.silu.out")
    row("Softplus", "normal", "aten.softplus.out", (1.0, 20.0))
    row("Gelu", "normal", "aten.gelu.out", (), ({"approximate": "tanh"},), label="tanh", exact=lambda x: x * share_of_tanh(x))
    row("GeluV2", "normal", "aten.gelu.out", (0,), ({"approximate": "none"},), label="none", exact=lambda x: x * share(x),
        peers=onednn(torch.nn.functional.gelu))
    row("GeluV2", "normal", "aten.gelu.out", (1,), ({"approximate": "tanh"},), label="tanh", exact=lambda x: x * share_of_tanh(x))
    row("InplaceRelu InplaceSigmoid InplaceTanh", "normal")
    row("InplaceHardsigmoid", "normal", exact=hardsigmoid)
    # Repeated in place, values below 3 become subnormal.
    row("InplaceHardswish", "beyond three", exact=hardswish)
    row("InplaceLeakyRelu", "normal", "leaky_relu_", (0.015625,))
    row("InplaceElu", "normal", "elu_", (1.0, 1.0, 1.0))


def gradient():
    row = functools.partial(formula, "gradient")
    two = "normal, normal"
    row("GeluBackward", two, "aten.gelu_backward", (), ({"approximate": "tanh"},), label="tanh", exact=gelu_gradient_of_tanh, terms=first)
    for form, exact in (("none", gelu_gradient), ("tanh", gelu_gradient_of_tanh)):
        row("GeluBackwardV2", two, "aten.gelu_backward", (form,), ({"approximate": form},), label=form, exact=exact, terms=first)
    row("SiluBackward", two, "aten.silu_backward", terms=first)
    row("HardsigmoidBackward", two, "aten.hardsigmoid_backward", exact=hardsigmoid_gradient)
    row("HardswishBackward", "normal, off three", "aten.hardswish_backward", exact=hardswish_gradient, terms=first)
    row("ThresholdBackward", two, "aten.threshold_backward", (0.5,))
    row("SoftplusBackward", two, "aten.softplus_backward", (1.0, 20.0))
    row("LeakyReluBackward", two, "aten.leaky_relu_backward", (0.015625, False))
    row("SigmoidBackward", "normal, share", "aten.sigmoid_backward")
    row("TanhBackward", "normal, unit", "aten.tanh_backward")
    add("gradient", "EluBackward", ("normal", "normal"), lambda g, x: (g, 1.0, 1.0, 1.0, False, x),
        lambda o, g, x: aten.elu_backward.grad_input(g, 1.0, 1.0, 1.0, False, x, grad_input=o))


def arithmetic():
    row = functools.partial(formula, "arithmetic")
    row("Add", "normal, normal", ours=(1.0,), theirs=(), terms=larger, peers=onednn(torch.add))
    row("Sub InplaceAdd InplaceSub", "normal, normal", ours=(1.0,), theirs=(), terms=larger)
    for name in ("add", "sub"):
        row(name.title() + "s", "normal", name, (0.5, 1.0), (0.5,), terms=beside_half)
        row(f"Inplace{name.title()}s", "normal", name + "_", (0.5, 1.0), (0.5,), terms=beside_half)
    row("Rsubs", "normal", "rsub", (0.5, 1.0), (0.5,), terms=beside_half)
    row("Mul", "normal, normal", peers=onednn(torch.mul))
    row("Div", "normal, normal")
    row("InplaceMul InplaceDiv", "normal, sign")
    for name in ("mul", "div"):
        row(name.title() + "s", "normal", name, (0.75,))
        row(f"Inplace{name.title()}s", "normal", name + "_", (-1.0,))
    row("Maximum Minimum Atan2", "normal, normal")
    row("LogAddExp LogAddExp2", "normal, normal", terms=larger_or_one)
    row("DivMod", "normal, normal", "div", (1,), ({"rounding_mode": "trunc"},), label="trunc", exact=truncated_quotient)
    row("DivMod", "normal, normal", "div", (2,), ({"rounding_mode": "floor"},), label="floor")
    row("DivMods", "normal", "div", (0.75, 1), (0.75, {"rounding_mode": "trunc"}), label="trunc")
    row("DivMods", "normal", "div", (0.75, 2), (0.75, {"rounding_mode": "floor"}), label="floor")
    row("InplaceDivMod", "normal, sign", "div_", (2,), ({"rounding_mode": "floor"},), label="floor")
    row("InplaceDivMods", "normal", "div_", (-1.0, 2), (-1.0, {"rounding_mode": "floor"}), label="floor")
    row("FloorDivide", "normal, normal", "floor_divide")
    row("FmodTensor", "normal, normal", "fmod")
    row("RemainderTensorTensor", "normal, normal", "remainder")
    row("Gcd", "integer, integer", dtypes=("INT32",), most=1 << 20)
    row("LinalgCross", "normal, normal", "linalg.cross", (0,), ({"dim": 0},), shape=lambda n: (3, n // 3),
        terms=lambda x, y: x.norm(dim=0, keepdim=True) * y.norm(dim=0, keepdim=True))


def power():
    row = functools.partial(formula, "power")
    row("PowTensorTensor", "positive, unit", "pow")
    row("PowTensorScalar", "positive", "pow", (2.0,), label="2.0")
    row("PowTensorScalar", "positive", "pow", (0.5,), label="0.5")
    row("PowTensorScalar", "positive", "pow", (1.75,), label="1.75")
    add("power", "PowScalarTensor", ("normal",), lambda x: (1.75, x), lambda o, x: torch.pow(1.75, x, out=o))
    row("InplacePowTensorTensor", "positive, near one", "pow_")
    row("InplacePowTensorScalar", "positive", "pow_", (0.75,))


def comparison():
    row = functools.partial(formula, "comparison")
    for name in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le"):
        row(name + "Tensor", "normal, normal", name.lower(), (TRUTH,), ())
        row(name + "Scalar", "normal", name.lower(), (0.5, TRUTH), (0.5,))
        row(f"Inplace{name}Tensor", "normal, normal", name.lower() + "_")
        row(f"Inplace{name}Scalar", "normal", name.lower() + "_", (0.5,))
    for kind in ("normal", "mask"):
        for name in ("And", "Or", "Xor"):
            row("Logical" + name, f"{kind}, {kind}", "logical_" + name.lower(), label=kind)
            row("InplaceLogical" + name, f"{kind}, {kind}", f"logical_{name.lower()}_", label=kind)
        row("LogicalNot", kind, "logical_not", label=kind)
        row("InplaceLogicalNot", kind, "logical_not_", label=kind)


def bitwise():
    row = functools.partial(formula, "bitwise")
    for name in ("And", "Or", "Xor"):
        for kind in ("integer", "mask"):
            row(f"Bitwise{name}Tensor", f"{kind}, {kind}", "bitwise_" + name.lower(), dtypes=("INT32",), label=kind)
        row(f"Bitwise{name}Scalar", "integer", "bitwise_" + name.lower(), (255,), dtypes=("INT32",))
        row(f"InplaceBitwise{name}Tensor", "integer, integer", f"bitwise_{name.lower()}_", dtypes=("INT32",))


def selection():
    row = functools.partial(formula, "selection")
    row("Clamp", "normal", ours=(-0.5, 0.5))
    row("ClampMin", "normal", "clamp_min", (-0.5,))
    row("ClampMax", "normal", "clamp_max", (0.5,))
    row("InplaceClampMax", "normal", "clamp_max_", (0.5,))
    row("ClampTensor", "normal, normal, normal", "clamp")
    row("ClampMinTensor", "normal, normal", "clamp_min")
    row("ClampMaxTensor", "normal, normal", "clamp_max")
    row("InplaceClampMinTensor", "normal, normal", "clamp_min_")
    row("InplaceClampMaxTensor", "normal, normal", "clamp_max_")
    row("Threshold", "normal", "aten.threshold.out", (0.5, 0.25))
    row("InplaceThreshold", "normal", "threshold_", (0.5, 0.25))
    row("SWhere", "mask, normal, normal", "where")
    row("Heaviside", "normal, normal")
    row("NanToNum", "normal", "nan_to_num", (0.0, 1.0, -1.0))


# Terms whose sum cancels.
def terms_of_product(x, y, z):
    return larger(x, y * z / 4)


def terms_of_quotient(x, y, z):
    return larger(x, y / z / 4)


def ternary():
    row = functools.partial(formula, "ternary")
    for name, kinds, terms in (("Addcmul", "normal, normal, normal", terms_of_product), ("Addcdiv", "normal, normal, above one", terms_of_quotient)):
        row(name, kinds, ours=(0.25,), theirs=({"value": 0.25},), terms=terms)
        row("Inplace" + name, kinds, ours=(0.25,), theirs=({"value": 0.25},), terms=terms)
    row("Lerp InplaceLerp", "normal, normal, unit", terms=lambda x, y, w: larger(x, y))
    row("Lerps", "normal, normal", "lerp", (0.25,), terms=larger)
    row("InplaceLerps", "normal, normal", "lerp_", (0.25,), terms=larger)


def pointwise():
    """Operands of one shape, and a result of the same shape."""
    for make in (unary, activation, gradient, arithmetic, power, comparison, bitwise, selection, ternary):
        make()
