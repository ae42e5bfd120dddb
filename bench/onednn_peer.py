# SPDX-License-Identifier: Apache-2.0
"""oneDNN as a peer: libonednn_bench, which CMake builds where oneDNN is installed, and its contestants."""
import ctypes

from native import OperandView


class Onednn:
    """The library of timed calls, and the names of the kernels that took part."""

    def __init__(self, path):
        self.bench, self.kernels = ctypes.CDLL(str(path)), set()
        for name, result in (("OnednnPrepare", ctypes.c_void_p), ("OnednnTime", ctypes.c_double),
                             ("OnednnTimeEach", ctypes.c_double), ("OnednnKernel", ctypes.c_char_p),
                             ("OnednnVersion", ctypes.c_char_p), ("OnednnRecentError", ctypes.c_char_p)):
            getattr(self.bench, name).restype = result

    def versions(self):
        return {"version": self.bench.OnednnVersion().decode(), "kernels": ", ".join(sorted(self.kernels))}


class OnednnContestant:
    """A primitive made once, its execution and the wait for oneDNN's stream."""
    name = "oneDNN"

    def __init__(self, peer, operator, operands):
        self.bench, self.out = peer.bench, operands[-1]
        views = (OperandView * len(operands))(*(operand.view() for operand in operands))
        make = ctypes.cast(getattr(peer.bench, operator.onednn), ctypes.c_void_p)
        self.call = peer.bench.OnednnPrepare(make, views)
        if not self.call:
            raise RuntimeError(peer.bench.OnednnRecentError().decode())
        self.note = peer.bench.OnednnKernel(ctypes.c_void_p(self.call)).decode()
        peer.kernels.add(self.note)

    def time(self, calls):
        return self.bench.OnednnTime(ctypes.c_void_p(self.call), ctypes.c_int64(calls))

    def time_each(self, calls):
        seconds = (ctypes.c_double * calls)()
        if self.bench.OnednnTimeEach(ctypes.c_void_p(self.call), ctypes.c_int64(calls), seconds) < 0:
            raise RuntimeError(self.bench.OnednnRecentError().decode())
        return list(seconds)

    def output(self):
        return self.out.gather()

    def release(self):
        self.bench.OnednnRelease(ctypes.c_void_p(self.call))
