# SPDX-License-Identifier: Apache-2.0
"""What an operator tells the instrument about itself; the operators are in operators/, one file for a pair."""
import dataclasses
import importlib
import pathlib
import struct
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Dtype:
    """`unit` is the distance from 1 to the next number."""
    number: int    # of aclDataType
    bytes: int
    unit: float
    smallest_normal: float
    torch: str


DTYPES = {
    "FLOAT": Dtype(0, 4, 2.0**-23, 2.0**-126, "float32"),
    "FLOAT16": Dtype(1, 2, 2.0**-10, 2.0**-14, "float16"),
    "BFLOAT16": Dtype(27, 2, 2.0**-7, 2.0**-126, "bfloat16"),
    "BOOL": Dtype(12, 1, 0.0, 0.0, "bool"),
}


def smallest_normal(dtype):
    return DTYPES[dtype].smallest_normal


def encode(dtype, values):
    """The bytes of `values`, rounded to nearest even."""
    if dtype == "BOOL":
        return bytes(bool(value) for value in values)
    if dtype == "FLOAT16":
        return struct.pack(f"{len(values)}e", *values)
    floats = struct.pack(f"{len(values)}f", *values)
    if dtype == "FLOAT":
        return floats
    words = struct.unpack(f"{len(values)}I", floats)
    return struct.pack(f"{len(values)}H", *((w + 0x7FFF + (w >> 16 & 1)) >> 16 for w in words))


def decode(dtype, data):
    """The values of `data`: the inverse of encode."""
    if dtype == "BOOL":
        return tuple(data)
    if dtype == "BFLOAT16":
        data = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
    letter, width = ("e", 2) if dtype == "FLOAT16" else ("f", 4)
    return struct.unpack(f"{len(data) // width}{letter}", data)


@dataclasses.dataclass(frozen=True)
class DataSet:
    """Values of each input, drawn by value(random, dtype), and the attributes they go with."""
    name: str
    values: tuple
    attributes: tuple


@dataclasses.dataclass(frozen=True)
class NamedShape:
    """A call of a shape of its own, for example one of a model. `shapes`: scale -> shape of every operand, where scale is 1, or
    more for the test of the instrument; uniform data, but `attributes` instead of the data set's."""
    label: str
    shapes: Callable
    attributes: tuple
    dtypes: tuple = ("FLOAT", "BFLOAT16")


@dataclasses.dataclass(frozen=True)
class Operator:
    """Operands are inputs in signature order and then one output.

    plan            the function of operators/*_portacl.cc that calls phase 1
    reads, writes   streams of the kernel that sets the ceiling; their traffic is that of the operator
    expected        (inputs, attributes, i) -> value of element i of the output; an input is a function of an index, and has
                    `elements`
    absolute        error allowed beside the relative one, in units of the dtype at 1
    shapes          elements -> shape of every operand; None: one axis, all alike, and any layout may be measured
    named_shapes    further shapes
    operand_dtypes  dtype of the row -> dtype of every operand; None: all alike
    complete        (library, operands): draws what depends on other operands, and is called after all are drawn; None for nothing
    torch_cpp       the function of operators/*_torch.cc; torch_*: (torch, operands, attributes) -> a call to be timed:
                    python  into preallocated memory; user  as one writes it; compiled  by torch.compile, preallocated
    onednn          the function of operators/*_onednn.cc, for calls with the first data set; none where oneDNN has no such call
    """
    api: str
    plan: str
    dtypes: tuple
    reads: int
    writes: int
    data: list
    expected: Callable
    torch_cpp: str
    torch_python: Callable
    torch_user: Callable
    torch_compiled: Callable
    onednn: str = ""
    absolute: float = 0
    shapes: Callable = None
    named_shapes: tuple = ()
    operand_dtypes: Callable = None
    complete: Callable = None

    def dtypes_of_operands(self, dtype):
        if self.operand_dtypes is not None:
            return self.operand_dtypes(dtype)
        return (dtype,) * (len(self.data[0].values) + 1)

    def operand_shapes(self, elements):
        if self.shapes is not None:
            return self.shapes(elements)
        return [(elements,)] * (len(self.data[0].values) + 1)

    def elements_of_traffic(self, traffic, dtype):
        if self.operand_dtypes is not None:    # one element of each
            return max(1, traffic // sum(DTYPES[name].bytes for name in self.operand_dtypes(dtype)))
        return max(1, traffic // ((self.reads + self.writes) * DTYPES[dtype].bytes))


def all_operators():
    """Every operator of every file in operators/, by the files' names."""
    folder = pathlib.Path(__file__).resolve().parent / "operators"
    modules = [importlib.import_module(f"operators.{path.stem}") for path in sorted(folder.glob("*.py"))]
    return [operator for module in modules for operator in module.OPERATORS]
