# SPDX-License-Identifier: Apache-2.0
"""Addresses of bytes objects and NumPy arrays, and threads. There are no C functions for these."""

import ctypes
import math
import sys
import threading

import numpy as np

from . import _values

INVALID_PARAM, BAD_ALLOC = 100000, 200000

# NumPy's numbers of dtypes.
_DTYPES = {np.dtype(name).num: np.dtype(name) for name in (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "float16")}
_threads = {}  # id -> thread


def bytes_to_ptr(data):
    """The address of the data of a bytes object, which the caller keeps alive."""
    if not isinstance(data, bytes):
        raise _values.wrong("acl.util.bytes_to_ptr: argument 'data'", "bytes", data)
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value


def ptr_to_bytes(ptr, size):
    """A copy of memory of the host."""
    return ctypes.string_at(*_memory("ptr_to_bytes", ptr, size))


def numpy_to_ptr(array):
    """The address of the data of an array, which the caller keeps alive."""
    if not isinstance(array, np.ndarray):
        raise _values.wrong("acl.util.numpy_to_ptr: argument 'array'", "numpy.ndarray", array)
    if not array.flags.c_contiguous:
        print("acl.util.numpy_to_ptr: the array is not C-contiguous; numpy_contiguous_to_ptr makes a copy that is", file=sys.stderr)
    return array.__array_interface__["data"][0]


def numpy_contiguous_to_ptr(array):
    """The address of an array's data in C order, and the array that owns them: the same one, or a copy."""
    if not isinstance(array, np.ndarray):
        raise _values.wrong("acl.util.numpy_contiguous_to_ptr: argument 'array'", "numpy.ndarray", array)
    array = np.asarray(array, order="C")
    return numpy_to_ptr(array), array


def ptr_to_numpy(ptr, shape, type):
    """An array on memory of the host, which the caller keeps alive. `type` is NumPy's number of the dtype, such as 11 for float32."""
    what = "acl.util.ptr_to_numpy: argument"
    number = _values.integer(f"{what} 'type'", "int32", type)
    if number not in _DTYPES:
        raise ValueError(f"{what} 'type': expected one of {', '.join(map(str, _DTYPES))}, got {number}")
    if not isinstance(shape, (list, tuple)):
        raise _values.wrong(f"{what} 'shape'", "a tuple", shape)
    shape = [_values.integer(f"{what} 'shape': element {place}", "uint64", size) for place, size in enumerate(shape)]
    count = math.prod(shape)
    address, size = _memory("ptr_to_numpy", ptr, count * _DTYPES[number].itemsize)
    memory = (ctypes.c_char * size).from_address(address) if size else b""
    return np.frombuffer(memory, _DTYPES[number], count).reshape(shape) if size else np.empty(shape, _DTYPES[number])


def _memory(function, ptr, size):
    what = f"acl.util.{function}: argument"
    ptr, size = _values.integer(f"{what} 'ptr'", "pointer", ptr), _values.integer(f"{what} 'size'", "int64", size)
    if size < 0 or (ptr == 0 and size > 0):
        raise ValueError(f"{what} 'ptr': no memory of {size} bytes at {ptr}")
    return ptr, size


def start_thread(func, args):
    """Starts a thread that calls func(args). Returns its id, which acl.rt.subscribe_report takes, and a status."""
    if not callable(func):
        raise _values.wrong("acl.util.start_thread: argument 'func'", "a function", func)
    thread = threading.Thread(target=func, args=(args,), daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system has no more
        return 0, BAD_ALLOC
    _threads[thread.ident] = thread
    return thread.ident, 0


def stop_thread(tid):
    """Waits until the function of a thread returns; it must end by itself."""
    thread = _threads.get(_values.integer("acl.util.stop_thread: argument 'tid'", "uint64", tid))
    if thread is None or thread is threading.current_thread():
        return INVALID_PARAM
    thread.join()
    _threads.pop(tid, None)
    return 0
