# SPDX-License-Identifier: Apache-2.0
"""Arguments that are not tensors: converts Python values to the library's form."""

import ctypes
import numbers
import operator

from ._arrays import dtype_code

_BITS = {"int64": 64, "int32": 32, "int8": 8}
_EXPECTED = {
    "tensor": "an array",
    "list of tensors": "a list of arrays",
    "scalar": "a number",
    "double": "a number",
    "float": "a number",
    "int64": "an integer",
    "uint64": "an integer of 64 bits without a sign",
    "int32": "an integer of 32 bits",
    "int8": "an integer of 8 bits",
    "bool": "True or False",
    "dtype": "a dtype",
    "string": "a string",
    "int array": "a list of integers",
    "bool array": "a list of True and False",
    "float array": "a list of numbers",
    "list of scalars": "a list of numbers",
}


def expected(kind):
    """Describes in words what an argument of this kind accepts."""
    return _EXPECTED[kind]


def fill(slot, what, kind, value):
    """Stores `value` in the slot of a call; the call keeps the objects alive that the slot points to."""
    try:
        _FILL[kind](slot, kind, value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what}: expected {expected(kind)}, got {_shown(value)}") from None
    slot.given = 1


def _shown(value):
    text = repr(value)
    return f"{type(value).__name__} {text}" if len(text) <= 40 else type(value).__name__


def _number(value):
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    raise TypeError


def _truth(value):
    number = operator.index(value.item() if hasattr(value, "item") else value)  # NumPy's booleans are not integers
    if number not in (0, 1):
        raise ValueError
    return number


def _integer(value, bits=64):
    number = operator.index(value)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise OverflowError
    return number


def _items(value):
    if isinstance(value, (str, bytes)):
        raise TypeError
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _fill_real(slot, kind, value):
    slot.real = _number(value)
    slot.is_whole = isinstance(value, numbers.Integral)


def _fill_integer(slot, kind, value):
    slot.integer = _integer(value, _BITS[kind])


def _fill_unsigned(slot, kind, value):
    number = operator.index(value)
    if not 0 <= number < 1 << 64:
        raise OverflowError
    slot.integer = ctypes.c_int64(number).value  # same 64 bits


def _fill_truth(slot, kind, value):
    slot.integer = _truth(value)


def _fill_dtype(slot, kind, value):
    code = dtype_code(value)
    if code is None:
        raise ValueError
    slot.integer = code


def _fill_text(slot, kind, value):
    slot.text = str.encode(value)


def _fill_integers(slot, kind, value):
    read = _truth if kind == "bool array" else _integer
    numbers_read = [read(item) for item in _items(value)]
    slot.integers = (ctypes.c_int64 * max(len(numbers_read), 1))(*numbers_read)
    slot.count = len(numbers_read)


def _fill_reals(slot, kind, value):
    items = _items(value)
    slot.reals = (ctypes.c_double * max(len(items), 1))(*map(_number, items))
    slot.is_whole = all(isinstance(item, numbers.Integral) for item in items)
    slot.count = len(items)


_FILL = {
    "scalar": _fill_real,
    "double": _fill_real,
    "float": _fill_real,
    "int64": _fill_integer,
    "uint64": _fill_unsigned,
    "int32": _fill_integer,
    "int8": _fill_integer,
    "bool": _fill_truth,
    "dtype": _fill_dtype,
    "string": _fill_text,
    "int array": _fill_integers,
    "bool array": _fill_integers,
    "float array": _fill_reals,
    "list of scalars": _fill_reals,
}
