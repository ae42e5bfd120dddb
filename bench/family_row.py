# SPDX-License-Identifier: Apache-2.0
"""What a row of a family tells bench/families.py: operands, arguments, and PyTorch's call.

A call of PyTorch's gets the output that ours made, or a tuple of them, and the operands; it writes there where it has a form that does, and returns
the result. In float64 it is what both are compared with.
"""
import dataclasses
from typing import Callable

import torch

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
    vanishing: bool = False    # results below the smallest normal number may be 0

    def title(self):
        return self.operator + (f", {self.label}" if self.label else "")

    def in_place(self):
        return "Inplace" in self.operator


def repeated(values, n):
    return values.repeat(-(-n // len(values)))[:n]


def off(x, corner):
    """x, but for what lies near the corners of a function, where the formulas of two libraries differ."""
    return torch.where((x.abs() - corner).abs() < 0.05 * corner, x / 2, x)


def indices(n):
    """Row numbers of a matrix, each once, in no order."""
    return torch.randperm(matrix(n)[0])


# Kind -> n -> numbers. `wide`, which stands in for normal ones where errors are measured, has every size that 16 bits hold with room for squares.
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
