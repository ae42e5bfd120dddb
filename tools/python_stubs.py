#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stubs of the Python package: a typed declaration of each operator, for editors and type checkers.

    python_stubs.py FILE.pyi COMMAND...    COMMAND runs the program portacl of a toolkit, for example under an emulator
"""

import json
import keyword
import pathlib
import subprocess
import sys

HEAD = '''# Written by tools/python_stubs.py from the rows of operators.
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional, Protocol, Union

import numpy

class SupportsDLPack(Protocol):
    def __dlpack__(self, **named: Any) -> Any: ...

Array = Union[numpy.ndarray, SupportsDLPack]
Number = Union[bool, int, float, complex, numpy.generic]

__version__: str

class Error(RuntimeError):
    code: int
    operator: str

def run(operator: str, /, *arguments: Any, **named: Any) -> Any: ...
def prepare(operator: str, /, *arguments: Any, **named: Any) -> Callable[..., None]: ...
def operators() -> dict[str, dict[str, Any]]: ...
'''
TYPES = {
    "tensor": "Array", "list of tensors": "Sequence[Array]", "scalar": "Number", "double": "float", "float": "float", "int64": "int",
    "uint64": "int", "int32": "int", "int8": "int", "bool": "bool", "dtype": "Any", "string": "str", "int array": "Sequence[int]",
    "bool array": "Sequence[bool]", "float array": "Sequence[float]", "list of scalars": "Sequence[Number]",
}


def name_of(argument):
    return argument["name"] + "_" if keyword.iskeyword(argument["name"]) else argument["name"]


def parameter(argument, has_default):
    kind = TYPES[argument["kind"]]
    return f"{name_of(argument)}: " + (f"Optional[{kind}] = None" if has_default else f"Optional[{kind}]" if argument["optional"] else kind)


def result_of(argument):
    return "list[Any]" if argument["kind"] == "list of tensors" else "Any"    # NumPy's or PyTorch's, as the first array


def declaration(operator):
    """The function of an operator: inputs in the order of the C function, then outputs by name."""
    arguments, name = operator["arguments"], operator["operator"]
    inputs = [argument for argument in arguments if argument["role"] != "out"]
    outputs = [argument for argument in arguments if argument["role"] == "out"]
    results = [argument for argument in arguments if argument["role"] in ("out", "in and out")]
    parameters = [parameter(argument, all(later["optional"] for later in inputs[place:])) for place, argument in enumerate(inputs)]
    if outputs:
        parameters += ["*", *(parameter(argument, True) for argument in outputs)]
    lines, returned = [], result_of(results[0]) if len(results) == 1 else f"{name}Results"
    if len(results) > 1:
        lines = [f"class {returned}(NamedTuple):", *(f"    {name_of(argument)}: {result_of(argument)}" for argument in results), ""]
    return "\n".join([*lines, f"def {name}({', '.join(parameters)}) -> {returned}:", f"    {json.dumps(operator['formula'], ensure_ascii=False)}"])


def main(path, *command):
    listed = subprocess.run([*command, "ops", "--json"], stdout=subprocess.PIPE, check=True).stdout
    operators = sorted(json.loads(listed), key=lambda operator: operator["operator"])
    pathlib.Path(path).write_text("\n".join([HEAD, *map(declaration, operators)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
