# SPDX-License-Identifier: Apache-2.0
"""libportacl_python.so, which src/binding/binding.h describes, through ctypes."""

import ctypes
import functools
import json

from . import toolkit

MOST_AXES = 64


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * MOST_AXES),
        ("strides", ctypes.c_int64 * MOST_AXES),
    ]


class Argument(ctypes.Structure):
    _fields_ = [
        ("given", ctypes.c_int32),
        ("is_whole", ctypes.c_int32),
        ("count", ctypes.c_int64),
        ("tensors", ctypes.POINTER(Tensor)),
        ("integers", ctypes.POINTER(ctypes.c_int64)),
        ("reals", ctypes.POINTER(ctypes.c_double)),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("text", ctypes.c_char_p),
    ]


@functools.cache
def load():
    """Loads the library, which finds its dependencies in its own folder."""
    path = toolkit.find() / "lib64" / "libportacl_python.so"
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:    # such as libraries of another CANN in LD_LIBRARY_PATH
        raise OSError(f"{error}; `portacl doctor` says what is wrong") from None
    library.PortaclOperators.restype = ctypes.c_char_p
    library.PortaclMessage.restype = ctypes.c_char_p
    library.PortaclPrepare.restype = ctypes.c_void_p
    for name in ("PortaclDescribeOutputs", "PortaclCall", "PortaclPrepare"):
        getattr(library, name).argtypes = [ctypes.c_int32, ctypes.POINTER(Argument)]
    library.PortaclRepeat.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    library.PortaclRelease.argtypes = [ctypes.c_void_p]
    return library


def operators():
    """The contents of the schemas, one operator after the other."""
    text = load().PortaclOperators()
    if text is None:
        raise MemoryError("no memory for the list of operators")
    return json.loads(text)


def message():
    """The message of the calling thread's last failed call."""
    return load().PortaclMessage().decode(errors="replace")
