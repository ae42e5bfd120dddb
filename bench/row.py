# SPDX-License-Identifier: Apache-2.0
"""A row of bench/measure.py: operands, arguments, and PyTorch's call.

A call of PyTorch gets the output that ours created, or a tuple of outputs, and the operands. It writes to the output if it has such a form, and
returns the result. Both are compared with the same call in float64.
"""
import dataclasses
import functools
from typing import Callable

import torch

aten = torch.ops.aten
SIZES = {"one": 1, "L2": 1 << 14, "L3": 1 << 18, "memory": 1 << 24, "given": 0}    # number of elements; "given": rows that have only one shape
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
    return (n // 4096, 8, 512)    # samples, channels, positions


def given(*shape):
    return lambda n: shape


# Name -> the shape of the memory for a tensor of a given shape, and the tensor in that memory.
LAYOUTS = {
    "contiguous": (lambda shape: shape, lambda memory: memory),
    "transposed": (lambda shape: (*shape[:-2], shape[-1], shape[-2]), lambda memory: memory.mT),
    "every second row": (lambda shape: (2 * shape[0], *shape[1:]), lambda memory: memory[::2]),
    "stride 3": (lambda shape: (*shape[:-1], 3 * shape[-1]), lambda memory: memory[..., ::3]),
}


@dataclasses.dataclass(frozen=True)
class Operand:
    """`kind`: a key of DRAWS, or a function like those in it."""
    kind: str | Callable
    shape: Callable = flat
    layout: str = "contiguous"


@dataclasses.dataclass(frozen=True)
class Row:
    """`ours` and `torch`: operands -> arguments in the order of the C function, and (output, operands) -> result. `terms`: operands -> the unit of an
    error where terms cancel. `most`: maximum number of elements at which the row is measured."""
    family: str
    operator: str
    operands: tuple
    ours: Callable
    torch: Callable
    label: str = ""
    terms: Callable = None
    exact: Callable = None    # operands in float64 -> the result, if PyTorch's formula cancels even there
    most: int = SIZES["memory"]
    dtypes: tuple = ("FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE")
    drawn: bool = False     # results are random numbers, which differ between libraries
    vanishing: bool = False    # subnormal results may be 0
    completed: Callable = None    # operands -> further operands that depend on them
    peers: tuple = ()    # pairs (name, (output, operands) -> a call without arguments, or None)

    def title(self):
        return self.operator + (f", {self.label}" if self.label else "")

    def in_place(self):
        return "Inplace" in self.operator

    def sizes(self):
        if all(operand.shape(SIZES["L2"]) == operand.shape(SIZES["L3"]) for operand in self.operands):
            return ("given",)
        one = all(operand.shape is flat and operand.kind != "index" for operand in self.operands)
        return ("one",) * one + ("L2", "L3") + ("memory",) * (self.most > SIZES["L3"])


def repeated(values, n):
    return values.repeat(-(-n // len(values)))[:n]


def off(x, corner):
    """x without values close to the corners of a function, where the formulas of two libraries differ."""
    return torch.where((x.abs() - corner).abs() < 0.05 * corner, x / 2, x)


def indices(n):
    """Row indices of a matrix, each once, in random order."""
    return torch.randperm(matrix(n)[0])


# Kind -> n -> values. `wide` replaces normal values when errors are measured: it has every magnitude whose square fits in 16-bit dtypes.
DRAWS = {
    "normal": lambda n: torch.randn(n),
    "wide": lambda n: torch.randn(n) * torch.exp2(torch.rand(n) * 13 - 8),
    "positive": lambda n: torch.rand(n) * 10 + 0.01,
    "unit": lambda n: torch.rand(n) * 1.98 - 0.99,
    "off three": lambda n: off(torch.randn(n) * 4, 3),
    "beyond three": lambda n: (torch.randint(0, 2, (n,)) * 2 - 1) * (torch.rand(n) * 10 + 3.5),
    "below zero": lambda n: torch.rand(n) * -10,
    "share": lambda n: torch.rand(n) * 0.98 + 0.01,
    "above one": lambda n: torch.rand(n) * 10 + 1,
    "near one": lambda n: torch.rand(n) * 0.01 + 0.995,
    "sign": lambda n: torch.randint(0, 2, (n,)) * 2.0 - 1,
    "zero": lambda n: torch.zeros(n),
    "mask": lambda n: torch.rand(n) < 0.5,
    "nowhere": lambda n: torch.zeros(n, dtype=torch.bool),
    "integer": lambda n: torch.randint(1, 1 << 20, (n,), dtype=torch.int32),
    "tiny": lambda n: (torch.rand(n) * 3 + 1) * 2.0**-126,    # a kernel that produces subnormals from these is slow
    "shut": lambda n: torch.where(torch.rand(n) < 0.5, torch.randn(n), torch.rand(n) * -110 - 90),    # half of the sigmoids are subnormal
    "peaked": lambda n: torch.rand(n) * 300 - 150,    # most exponentials relative to the largest of a row are subnormal
    "probability": lambda n: torch.rand(n) / 256,
    "log probability": lambda n: torch.rand(n) * -4 - 1,
    "index": None,
}
ROWS = []


def add(family, operator, operands, ours, call, **rest):
    """`operands`: kinds, with the shape `shape`, or Operand objects."""
    shape = rest.pop("shape", flat)
    operands = tuple(Operand(o, shape) if isinstance(o, str) else o for o in operands)
    ROWS.append(Row(family, "aclnn" + operator, operands, ours, call, **rest))


def into(function, *arguments, **named):
    """A call that writes to `out`."""
    return lambda o, *x: function(*x, *arguments, out=o, **named)


def attributes(*values):
    """Arguments after the operands. A dictionary at the end names further outputs by dtype, with the first operand's shape."""
    outputs = values[-1] if values and isinstance(values[-1], dict) else {}

    def arguments(*x):
        made = {name: torch.empty_like(x[0], dtype=getattr(torch, dtype)) for name, dtype in outputs.items()}
        return (*x, *values[:len(values) - bool(outputs)], *([made] if made else ()))
    return arguments


def onednn(function):
    """A peer: PyTorch contains oneDNN 3, which computes if tensors have its own layout; the call allocates its result."""
    def make(o, *x):
        x = [tensor.to_mkldnn() for tensor in x]
        return lambda: function(*x)
    return (("oneDNN", make),)


# PyTorch functions that only return their result.
RETURNED = {"isfinite", "isinf", "rsub", "flip", "roll", "aten.hardswish_backward", "aten.constant_pad_nd"}


def call_of(name, *values):
    """PyTorch's function of that name with the arguments `values` after the operands; a dictionary at the end has keyword arguments. One that ends
    with _ works in place, the others write to the output, for which gradients have a name of their own."""
    named = values[-1] if values and isinstance(values[-1], dict) else {}
    values = values[:len(values) - bool(named)]
    if name.endswith("_"):
        own = getattr(torch.Tensor, name, None) or getattr(aten, name)
        return lambda o, *x: own(*x, *values, **named)
    function = functools.reduce(getattr, name.removeprefix("aten.").split("."), aten if name.startswith("aten.") else torch)
    if name in RETURNED:
        return lambda o, *x: function(*x, *values, **named)
    if name.endswith("_backward"):
        return lambda o, *x: function.grad_input(*x, *values, grad_input=o, **named)
    return into(function, *values, **named)


def formula(family, operators, kinds, function="", ours=(), theirs=None, **rest):
    """Rows that are data: operators with one call of PyTorch's, whose name is the operator's unless `function` says, and kinds of operands of one shape.
    `ours` and `theirs`: arguments after them, the same by default."""
    for operator in operators.split():
        name = function or (operator[7:] + "_" if operator.startswith("Inplace") else operator).lower()
        add(family, operator, kinds.split(", "), attributes(*ours), call_of(name, *(ours if theirs is None else theirs)), **rest)
