# SPDX-License-Identifier: Apache-2.0
"""Where the kernels of PyTorch's operators on npu come from: compiled with the wheel, or by a compiler, once, into a cache. Imported before torch."""

import os
import pathlib
import shutil
import tempfile

from . import errors, toolkit

_OTHER_CACHE = "export XDG_CACHE_HOME to a folder that can be written"


def shipped():
    """The folder of the kernels that came compiled, torch-<version of torch>-<digest of the sources>.so; only wheels have it."""
    return toolkit.find() / "lib64" / "portacl" / "fallback"


def is_shipped(torch):
    """Whether kernels for that version of torch came compiled."""
    return any(shipped().glob(f"torch-{torch.partition('+')[0]}-*.so"))


def cache():
    """The folder of the kernels that were compiled: $XDG_CACHE_HOME/portacl (default: ~/.cache/portacl)."""
    try:
        return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "portacl"
    except RuntimeError as error:    # neither HOME nor an entry of the user
        raise errors.SetupError(f"PyTorch's operators on npu cannot be compiled: {error}; {_OTHER_CACHE}") from None


def writable_cache():
    """The same folder, made and tried. Raises SetupError if nothing can be written to it."""
    folder = cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise errors.SetupError(f"PyTorch's operators on npu cannot be compiled into {folder}: {error.strerror}; {_OTHER_CACHE}") from None


def compiler():
    """The command of a C++ compiler. Raises SetupError if there is none."""
    for command in (os.environ.get("CXX", "c++"), "g++", "clang++"):
        if shutil.which(command):
            return command
    raise errors.SetupError("there is no C++ compiler for the operators of PyTorch on npu, which are compiled once; install one: "
                            "apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (openEuler, Fedora)")


def check(torch):
    """Raises SetupError if there are no kernels for that version of torch, and they cannot be compiled."""
    if not is_shipped(torch) and not any(cache().glob("fallback-*.so")):
        compiler()
        writable_cache()
