# SPDX-License-Identifier: Apache-2.0
"""The kernels in C++: compiled against the installed PyTorch when they are first needed, and cached.

The cache is $XDG_CACHE_HOME/portacl (default: ~/.cache/portacl); names in it are derived from the source and the versions.
Without a compiler the kernels of kernel.py and native.py are used, which do the same more slowly.
"""

import ctypes
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import torch

from . import memory

_FOLDER = pathlib.Path(__file__).parent
_SOURCES = [_FOLDER / "boxed.cpp", *sorted(_FOLDER.glob("*.h"))]
COPIES = frozenset("_to_copy empty_like contiguous".split())    # the C++ kernels contain these, too
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")


def load():
    """torch.ops.portacl with the kernels' functions, or None if they are not available; prints the reason to the error stream, once."""
    try:
        library = _library()
        torch.ops.load_library(str(library))
    except (OSError, RuntimeError) as error:
        print(f"portacl: operators that run on the CPU take longer: {error}", file=sys.stderr)
        return None
    functions = ctypes.CDLL(str(library))
    functions.portacl_fallback_waits.restype = ctypes.c_uint64
    memory.count_waits(functions.portacl_fallback_waits, functions.portacl_fallback_count_wait)
    return torch.ops.portacl


def takes(operator):
    """Whether the kernels support the operator: not if it writes to a list of `out=` tensors, which may have to be resized."""
    return not any(argument.is_out and str(argument.type) != "Tensor" for argument in operator._schema.arguments)


def _library():
    source = b"".join(path.read_bytes() for path in _SOURCES)
    built_with = (torch.__version__, str(torch._C._GLIBCXX_USE_CXX11_ABI), platform.machine(), " ".join(_FLAGS))
    name = hashlib.sha256(source + "\n".join(built_with).encode()).hexdigest()[:16]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "portacl"
    library, log = cache / f"fallback-{name}.so", cache / f"fallback-{name}.log"
    if library.exists():
        return library
    if log.exists():
        raise RuntimeError(f"they could not be compiled before: {log}")
    compiler = next(filter(shutil.which, (os.environ.get("CXX", "c++"), "g++", "clang++")), None)
    if compiler is None:
        raise RuntimeError("there is no C++ compiler to compile them with")
    cache.mkdir(parents=True, exist_ok=True)
    _compile(compiler, library, log)
    return library


def _compile(compiler, library, log):
    print(f"portacl: compiling operators for PyTorch {torch.__version__}, once ...", end="", file=sys.stderr, flush=True)
    root = pathlib.Path(torch.__file__).parent
    # Other processes may do the same: each writes its own file, and the last one replaces the others.
    handle, unfinished = tempfile.mkstemp(dir=library.parent, suffix=".so")
    os.close(handle)
    command = [compiler, *_FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", "-isystem", root / "include",
               "-isystem", root / "include/torch/csrc/api/include", _SOURCES[0], "-L", root / "lib", "-ltorch_cpu", "-ltorch", "-lc10",
               "-o", unfinished]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    print(" failed" if run.returncode else " done", file=sys.stderr)
    if run.returncode:
        os.unlink(unfinished)
        log.write_text(run.stderr, encoding="utf-8")
        raise RuntimeError(f"they could not be compiled: {log}")
    os.chmod(unfinished, 0o755)
    os.replace(unfinished, library)
