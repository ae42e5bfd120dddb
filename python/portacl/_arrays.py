# SPDX-License-Identifier: Apache-2.0
"""Arrays as the library describes them: an address, a dtype, a shape, strides. Elements are copied only if strides cannot express their layout."""

import functools
import math
import sys

import numpy as np

from . import _dlpack
from ._library import MOST_AXES, Tensor

# NumPy's dtype names -> aclDataType; PyTorch has the same names.
DTYPES = {
    "float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8, "int64": 9, "uint64": 10,
    "float64": 11, "bool": 12, "complex64": 16, "complex128": 17, "bfloat16": 27,
}  # fmt: skip
NAMES = {code: name for name, code in DTYPES.items()}


@functools.cache  # NumPy builds a dtype's name anew each time, which takes as long as the rest of a description
def _code_of(dtype):
    return DTYPES.get(dtype.name)


class Operand:
    """One array of a call. `tensor` describes its memory, which is valid as long as this object exists."""

    def __init__(self, what, value, is_written):
        self.value = value
        self.tensor = Tensor()
        self._stand_in = None  # a copy that replaces it as the operator's operand
        if isinstance(value, (np.ndarray, np.generic)):
            self._take_numpy(what, np.asarray(value), is_written)
        elif hasattr(value, "__dlpack__"):
            self._owner = _dlpack.Export(what, value)
            self._describe(*self._owner.layout())
        else:
            raise TypeError(f"{what}: expected an array of NumPy's or one that has __dlpack__, got {type(value).__name__}")

    def write_back(self):
        """Copies the operator's output into the given array."""
        if self._stand_in is not None:
            np.copyto(self.value, self._stand_in)

    def result(self, tensor):
        """The array, or its part that an operator has filled whose result is described by `tensor`: some find the shape of their output."""
        shape = tuple(tensor.shape[: tensor.rank])
        if shape == tuple(self.tensor.shape[: self.tensor.rank]):
            return self.value
        return self.value.reshape(-1)[: math.prod(shape)].reshape(shape)

    def _take_numpy(self, what, array, is_written):
        code = _code_of(array.dtype)
        if code is None:
            raise TypeError(f"{what}: no operator takes elements of NumPy's {array.dtype}")
        if is_written and not (array.flags.writeable and isinstance(self.value, np.ndarray)):
            raise ValueError(f"{what}: expected an array that may be written, got one that is read-only")
        size = array.itemsize
        if not (array.flags.aligned and array.dtype.isnative and all(s >= 0 and s % size == 0 for s in array.strides)):
            array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
            self._stand_in = array if is_written else None
        self._owner = array
        strides = [s // size for s in array.strides]
        self._describe(array.ctypes.data, code, array.shape, strides)

    def _describe(self, data, dtype, shape, strides):
        tensor, rank = self.tensor, len(shape)
        if rank > MOST_AXES:
            raise ValueError(f"expected an array of at most {MOST_AXES} axes, got one of {rank}")
        tensor.data, tensor.dtype, tensor.rank = data, dtype, rank
        tensor.shape[:rank] = shape
        tensor.strides[:rank] = strides


def empty(what, tensor, model):
    """A new array described by `tensor`: PyTorch's if `model` is one of PyTorch's, otherwise NumPy's."""
    shape, name = tuple(tensor.shape[: tensor.rank]), NAMES[tensor.dtype]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.Tensor):
        return torch.empty(shape, dtype=getattr(torch, name))
    if name == "bfloat16":
        return np.empty(shape, _bfloat16(what))
    return np.empty(shape, name)


def _bfloat16(what):
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"{what}: NumPy has no bfloat16: install ml_dtypes, or give an array to write to") from None
    return ml_dtypes.bfloat16


def pointer_to(tensors):
    """Several contiguous descriptions, for the library."""
    return (Tensor * max(len(tensors), 1))(*tensors)


def dtype_code(value):
    """aclDataType for a name, or for a dtype of NumPy or PyTorch; None if there is none."""
    name = str(np.dtype(value)) if isinstance(value, (type, np.dtype)) else str(value).rpartition(".")[2]
    return DTYPES.get(name)
