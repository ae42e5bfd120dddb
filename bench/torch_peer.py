# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a peer: builds its C++ side against the installed wheel, and makes its contestants."""
import ctypes
import hashlib
import os
import pathlib
import subprocess
import time

from native import OperandView
from operator_table import DTYPES

HERE = pathlib.Path(__file__).resolve().parent


def build(torch, folder):
    """Path of the library of torch_bench.cc and operators/*_torch.cc, built anew when a source or PyTorch changed."""
    from torch.utils.cpp_extension import include_paths, library_paths
    sources = [HERE / "torch_bench.cc", *sorted((HERE / "operators").glob("*_torch.cc"))]
    text = b"".join(path.read_bytes() for path in [*sources, HERE / "call_timer.h", HERE / "operand_view.h"])
    key = hashlib.sha256(text + torch.__version__.encode() + torch.__file__.encode()).hexdigest()[:16]
    library = folder / f"libtorch_bench_{key}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = library.with_suffix(f".{os.getpid()}")
        command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-fPIC", "-shared", f"-I{HERE.parent}",
                   f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", "-o", str(unfinished)]
        command += [word for path in include_paths() for word in ("-isystem", path)]
        command += [str(path) for path in sources]
        command += [word for path in library_paths() for word in (f"-L{path}", f"-Wl,-rpath,{path}")]
        subprocess.run([*command, "-ltorch_cpu", "-lc10"], check=True)
        unfinished.rename(library)
    return library


class Torch:
    """The peer: the Python module and the library of timed C++ calls."""

    def __init__(self, torch, folder, threads):
        self.torch = torch
        torch.set_num_threads(threads)
        self.bench = ctypes.CDLL(str(build(torch, folder)))
        for name, result in (("TorchPrepare", ctypes.c_void_p), ("TorchTime", ctypes.c_double),
                             ("TorchTimeEach", ctypes.c_double), ("TorchCasts", ctypes.c_int64),
                             ("TorchRecentError", ctypes.c_char_p)):
            getattr(self.bench, name).restype = result

    def versions(self):
        torch = self.torch
        settings = torch.__config__.show().splitlines()
        kernels = [line.strip(" -") for line in settings if "Math Kernel" in line or "MKL-DNN" in line]
        kernels = [f"ATen {torch.backends.cpu.get_cpu_capability()}", *kernels,
                   f"OMP_WAIT_POLICY {os.environ.get('OMP_WAIT_POLICY', 'unset')}"]
        return {"version": torch.__version__, "kernels": "; ".join(kernels)}

    def tensor(self, operand):
        """The same memory as a PyTorch tensor."""
        memory = (ctypes.c_char * operand.bytes).from_address(operand.data)
        flat = self.torch.frombuffer(memory, dtype=getattr(self.torch, DTYPES[operand.dtype].torch))
        return flat.as_strided(operand.shape, operand.strides)


class TorchCppContestant:
    """PyTorch's C++ call into preallocated memory."""
    name = "PyTorch C++"

    def __init__(self, peer, operator, operands, attributes):
        self.bench, self.out = peer.bench, operands[-1]
        views = (OperandView * len(operands))(*(operand.view() for operand in operands))
        function = ctypes.cast(getattr(peer.bench, operator.torch_cpp), ctypes.c_void_p)
        self.call = peer.bench.TorchPrepare(function, views, ctypes.c_int64(len(operands)),
                                            (ctypes.c_double * len(attributes))(*attributes),
                                            ctypes.c_int64(len(attributes)))
        if not self.call:
            raise RuntimeError(peer.bench.TorchRecentError().decode())
        self.note = "casts to float32" if peer.bench.TorchCasts(ctypes.c_void_p(self.call)) else ""

    def time(self, calls):
        return self.bench.TorchTime(ctypes.c_void_p(self.call), ctypes.c_int64(calls))

    def time_each(self, calls):
        seconds = (ctypes.c_double * calls)()
        if self.bench.TorchTimeEach(ctypes.c_void_p(self.call), ctypes.c_int64(calls), seconds) < 0:
            raise RuntimeError(self.bench.TorchRecentError().decode())
        return list(seconds)

    def output(self):
        return self.out.gather()

    def release(self):
        self.bench.TorchRelease(ctypes.c_void_p(self.call))


class TorchPythonContestant:
    """A form of the operator that is called, and timed, from Python; `make` is one of its torch_* functions."""

    def __init__(self, name, peer, make, operands, attributes):
        self.name, self.peer, self.out, self.result = name, peer, operands[-1], None
        self.call = make(peer.torch, [peer.tensor(operand) for operand in operands], attributes)

    def time(self, calls):
        call, clock = self.call, time.perf_counter
        begin = clock()
        for _ in range(calls):
            self.result = call()
        return clock() - begin

    def output(self):
        # What the call returned: its own memory in the user's form, `out` in the others.
        result = self.result.contiguous()
        copy = ctypes.create_string_buffer(result.numel() * result.element_size())
        ctypes.memmove(copy, result.data_ptr(), len(copy))
        return copy

    def release(self):
        self.call = self.result = None
        self.peer.torch._dynamo.reset()    # else the limit of recompilations is reached after eight rows
