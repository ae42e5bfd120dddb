# SPDX-License-Identifier: Apache-2.0
"""The kernels in C++. A wheel has them compiled for the supported versions of PyTorch (tools/build_fallback.py); otherwise they are compiled against
the installed PyTorch when they are first needed, and cached."""

import hashlib
import os
import pathlib
import platform
import struct
import subprocess
import sys
import tempfile

import torch

from .. import errors, kernels, versions

_FOLDER = pathlib.Path(__file__).parent
_SOURCES = [_FOLDER / "boxed.cpp", *sorted(_FOLDER.glob("*.h"))]


def load():
    """torch.ops.portacl with the kernels' functions. Raises SetupError if they cannot be compiled or loaded."""
    library = _library()
    try:
        torch.ops.load_library(str(library))
    except OSError as error:
        raise errors.SetupError(f"the operators of PyTorch on npu cannot be loaded: {error}; remove that file, and they are compiled again") from None
    return torch.ops.portacl


def _digest(*built_with):
    return hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES) + "\n".join(built_with).encode()).hexdigest()[:16]


def _shipped():
    return kernels.shipped() / f"torch-{torch.__version__.partition('+')[0]}-{_digest()}.so"


def _library():
    shipped = _shipped()
    if shipped.is_file():
        return shipped
    name = _digest(torch.__version__, str(torch._C._GLIBCXX_USE_CXX11_ABI), platform.machine(), " ".join(versions.FLAGS))
    library = kernels.cache() / f"fallback-{name}.so"
    if not _is_whole(library):
        _compile(library)
    return library


def _is_whole(library):
    """Whether the file is there up to its last part, the table of sections. To load a part of a library may end the process."""
    if not library.is_file():
        return False
    with library.open("rb") as file:
        header = file.read(64)
    if len(header) < 64:
        return False
    begin, size, count = *struct.unpack_from("<Q", header, 40), *struct.unpack_from("<HH", header, 58)
    return begin + size * count <= library.stat().st_size


def _compile(library):
    compiler, cache = kernels.compiler(), kernels.writable_cache()
    print(f"portacl: compiling operators for PyTorch {torch.__version__}, once ...", end="", file=sys.stderr, flush=True)
    root = pathlib.Path(torch.__file__).parent
    # Other processes may do the same: each writes its own file, and the last one replaces the others.
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        unfinished = pathlib.Path(folder, library.name)
        command = [compiler, *versions.FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", "-isystem", root / "include",
                   "-isystem", root / "include/torch/csrc/api/include", _SOURCES[0], "-L", root / "lib", "-ltorch_cpu", "-ltorch", "-lc10",
                   "-o", unfinished]
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        print(" failed" if run.returncode else " done", file=sys.stderr)
        if run.returncode:
            log = library.with_suffix(".log")
            log.write_text(run.stderr, encoding="utf-8")
            raise errors.SetupError(f"{compiler} could not compile the operators of PyTorch on npu: {log}")
        os.replace(unfinished, library)
