# SPDX-License-Identifier: Apache-2.0
"""The kernels in C++. A wheel has them compiled for the supported versions of PyTorch (tools/build_fallback.py); otherwise they are compiled against
the installed PyTorch when they are first needed, and cached."""

import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import torch

from .. import pytorch, versions

_FOLDER = pathlib.Path(__file__).parent
_SOURCES = [_FOLDER / "boxed.cpp", *sorted(_FOLDER.glob("*.h"))]


def load():
    """torch.ops.portacl with the kernels' functions. Raises SetupError if they are not cached and cannot be compiled."""
    torch.ops.load_library(str(_library()))
    return torch.ops.portacl


def _digest(*built_with):
    return hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES) + "\n".join(built_with).encode()).hexdigest()[:16]


def _shipped():
    return pytorch.shipped() / f"torch-{torch.__version__.partition('+')[0]}-{_digest()}.so"


def _library():
    shipped = _shipped()
    if shipped.is_file():
        return shipped
    name = _digest(torch.__version__, str(torch._C._GLIBCXX_USE_CXX11_ABI), platform.machine(), " ".join(versions.FLAGS))
    library = pytorch.cache() / f"fallback-{name}.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        _compile(library)
    return library


def _compile(library):
    compiler = pytorch.compiler()
    print(f"portacl: compiling operators for PyTorch {torch.__version__}, once ...", end="", file=sys.stderr, flush=True)
    root = pathlib.Path(torch.__file__).parent
    # Other processes may do the same: each writes its own file, and the last one replaces the others.
    handle, unfinished = tempfile.mkstemp(dir=library.parent, suffix=".so")
    os.close(handle)
    command = [compiler, *versions.FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", "-isystem", root / "include",
               "-isystem", root / "include/torch/csrc/api/include", _SOURCES[0], "-L", root / "lib", "-ltorch_cpu", "-ltorch", "-lc10",
               "-o", unfinished]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    print(" failed" if run.returncode else " done", file=sys.stderr)
    if run.returncode:
        os.unlink(unfinished)
        log = library.with_suffix(".log")
        log.write_text(run.stderr, encoding="utf-8")
        raise pytorch.SetupError(f"{compiler} could not compile the operators of PyTorch on npu: {log}")
    os.chmod(unfinished, 0o755)
    os.replace(unfinished, library)
