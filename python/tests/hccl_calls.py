# SPDX-License-Identifier: Apache-2.0
"""libhccl.so through ctypes, as vllm-ascend's pyhccl calls it: without PyTorch, on host memory."""

import ctypes
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_uint32, c_uint64, c_void_p

from portacl import toolkit


class RootInfo(ctypes.Structure):
    _fields_ = [("internal", c_char * 4108)]


class Item(ctypes.Structure):
    _fields_ = [("type", c_int), ("buffer", c_void_p), ("count", c_uint64), ("dtype", c_int), ("peer", c_uint32)]


SUM, PROD, MAX, MIN = range(4)
NOT_SUPPORTED = 5  # HCCL_E_NOT_SUPPORT
COUNTS = c_void_p  # uint64_t[], read before the call returns
OPERATIONS = {  # without the last two parameters, communicator and stream
    "AllReduce": (c_void_p, c_void_p, c_uint64, c_int, c_int),
    "Broadcast": (c_void_p, c_uint64, c_int, c_uint32),
    "AllGather": (c_void_p, c_void_p, c_uint64, c_int),
    "AllGatherV": (c_void_p, c_uint64, c_void_p, COUNTS, COUNTS, c_int),
    "ReduceScatter": (c_void_p, c_void_p, c_uint64, c_int, c_int),
    "ReduceScatterV": (c_void_p, COUNTS, COUNTS, c_void_p, c_uint64, c_int, c_int),
    "Reduce": (c_void_p, c_void_p, c_uint64, c_int, c_int, c_uint32),
    "Scatter": (c_void_p, c_void_p, c_uint64, c_int, c_uint32),
    "AlltoAll": (c_void_p, c_uint64, c_int, c_void_p, c_uint64, c_int),
    "AlltoAllV": (c_void_p, COUNTS, COUNTS, c_int, c_void_p, COUNTS, COUNTS, c_int),
    "AlltoAllVC": (c_void_p, COUNTS, c_int, c_void_p, c_int),
    "Send": (c_void_p, c_uint64, c_int, c_uint32),
    "Recv": (c_void_p, c_uint64, c_int, c_uint32),
    "BatchSendRecv": (POINTER(Item), c_uint32),
    "Barrier": (),
}


class Hccl:
    """Calls that must succeed, except through `status_of`."""

    def __init__(self, path=None):
        self._library = ctypes.CDLL(str(path or os.environ.get("HCCL_SO_PATH") or toolkit.find() / "lib64" / "libhccl.so"))
        self._library.HcclGetErrorString.restype = c_char_p
        self._library.HcclGetRootInfo.argtypes = [POINTER(RootInfo)]
        self._library.HcclCommInitRootInfo.argtypes = [c_uint32, POINTER(RootInfo), c_uint32, POINTER(c_void_p)]
        self._library.HcclCommDestroy.argtypes = [c_void_p]
        for name, arguments in OPERATIONS.items():
            getattr(self._library, "Hccl" + name).argtypes = [*arguments, c_void_p, c_void_p]

    def status_of(self, name, *arguments):
        return getattr(self._library, "Hccl" + name)(*arguments)

    def call(self, name, *arguments):
        status = self.status_of(name, *arguments)
        if status != 0:
            raise RuntimeError(f"Hccl{name}: {self._library.HcclGetErrorString(status).decode()}")

    def root_info(self):
        root = RootInfo()
        self.call("GetRootInfo", byref(root))
        return root

    def join(self, ranks, root, rank):
        communicator = c_void_p()
        self.call("CommInitRootInfo", ranks, byref(root), rank, byref(communicator))
        return communicator


class Stream:
    """A stream of device 0. `wait` raises if an operation has failed."""

    def __init__(self):
        self._library = ctypes.CDLL(str(toolkit.find() / "lib64" / "libascendcl.so"))
        self.handle = c_void_p()
        for status in (self._library.aclInit(None), self._library.aclrtSetDevice(0), self._library.aclrtCreateStream(byref(self.handle))):
            assert status == 0, status

    def wait(self):
        status = self._library.aclrtSynchronizeStream(self.handle)
        if status != 0:
            self._library.aclGetRecentErrMsg.restype = c_char_p
            raise RuntimeError(f"{status}: {(self._library.aclGetRecentErrMsg() or b'').decode()}")
