# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that the library calls. It passes a number in place of the caller's data, which may be any object."""

import ctypes
import functools
import itertools

from ._table import table
from ._values import integer, type_of, wrong

_numbers = itertools.count(1)
_waiting = {}     # number -> function, data and stream, until the function has run or its stream is destroyed
_registered = {}  # number -> data


def _function_type(name):
    row = table["callbacks"][name]
    result = None if row["result"] == "void" else type_of(row["result"])
    return ctypes.CFUNCTYPE(result, *map(type_of, row["parameters"]))


@functools.cache
def _run_once(name):
    def run(number):
        function, data, _ = _waiting.pop(number)
        function(data)

    return _function_type(name)(run)


def queue(what, name, function, data, stream):
    """The C function and its argument, for a function that a stream runs once."""
    if not callable(function):
        return _address(what, function, data)
    number = next(_numbers)
    _waiting[number] = function, data, stream
    return _run_once(name), number


def forget(number):
    """Drops a function that the library did not accept."""
    _waiting.pop(number, None)


def forget_stream(stream):
    """Drops the functions that a destroyed stream has not run, as a thread was unsubscribed before it."""
    for number in [number for number, (*_, owner) in _waiting.copy().items() if owner == stream]:
        forget(number)


def register(what, name, function, data=None):
    """The same for a function that may be called as long as the process lives. The C function is the same each time."""
    if not callable(function):
        return _address(what, function, data)
    number = next(_numbers)
    if data is not None:
        _registered[number] = data
    return _registered_function(name, function), number


def _address(what, function, data):
    """The same for the address of a C function; None is NULL."""
    try:
        address = integer(what, "pointer", function)
    except TypeError:
        raise wrong(what, "a function, an address or None", function) from None
    return address, integer(f"{what} is no function of Python; its data", "pointer", data)


@functools.cache
def _registered_function(name, function):
    has_data = table["callbacks"][name]["data"]

    def call(*arguments):
        arguments = [argument.decode(errors="replace") if isinstance(argument, bytes) else argument or 0 for argument in arguments]
        if has_data:
            arguments[-1] = _registered.get(arguments[-1])
        return function(*arguments) or 0

    return _function_type(name)(call)
