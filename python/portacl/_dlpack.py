# SPDX-License-Identifier: Apache-2.0
"""Reads the export of an object's __dlpack__: the memory of another library's array, without a copy. NumPy's own reader does not support bfloat16."""

import ctypes

_ON_HOST = 1
_CAPSULE = b"dltensor"
# (code, bits) in DLPack -> aclDataType.
_DTYPES = {
    (0, 8): 2, (0, 16): 6, (0, 32): 3, (0, 64): 9, (1, 8): 4, (1, 16): 7, (1, 32): 8, (1, 64): 10, (2, 16): 1, (2, 32): 0, (2, 64): 11,
    (4, 16): 27, (5, 64): 16, (5, 128): 17, (6, 8): 12,
}  # fmt: skip


class DLTensor(ctypes.Structure):
    """The first members of DLPack's DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Export:
    """The export of one object; holds its memory as long as this object exists."""

    def __init__(self, what, value):
        if value.__dlpack_device__()[0] != _ON_HOST:
            raise TypeError(f"{what}: expected an array in the memory of the host, got one on another device")
        self._what = what
        self._capsule = value.__dlpack__()  # never consumed: the capsule frees the export itself

    def layout(self):
        """(address, aclDataType, shape, strides in elements)"""
        tensor = DLTensor.from_address(_get_pointer(self._capsule, _CAPSULE))
        dtype = _DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
        if dtype is None:
            raise TypeError(f"{self._what}: no operator takes elements of DLPack's code {tensor.code} with {tensor.bits} bits")
        shape = tensor.shape[: tensor.ndim]
        if tensor.strides:
            strides = tensor.strides[: tensor.ndim]
        else:  # contiguous
            strides, step = [], 1
            for size in reversed(shape):
                strides.insert(0, step)
                step *= size
        return (tensor.data or 0) + tensor.byte_offset, dtype, shape, strides
