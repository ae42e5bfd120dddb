#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles PyTorch's operators on npu, python/portacl/fallback, for a wheel.

    build_fallback.py FOLDER --stubs FOLDER --compiler PREFIX    for example aarch64-linux-gnu-

FOLDER gets torch-<version>-<digest of the sources>.so for each supported version of torch whose headers are in a virtual environment of
tools/torch_npu_venv.sh; the others are named, and are compiled by their users. --stubs: the C library to link against, from
cmake/portable/glibc_stubs.py. What they include of torch is the same for every processor, for the CPU and for CUDA, and nothing of torch is linked,
so that any installation serves.
"""

import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FALLBACK = ROOT / "python" / "portacl" / "fallback"
SOURCES = [FALLBACK / "boxed.cpp", *sorted(FALLBACK.glob("*.h"))]
LIBRARIES = ("libtorch_cpu.so", "libc10.so")

sys.path.insert(0, str(ROOT / "python" / "portacl"))
import versions    # noqa: E402 (without the package, which would look for a toolkit)


def installed():
    """{version: folder of the package torch}, of all virtual environments."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "portacl"
    found = {}
    for folder in sorted(cache.glob("torch_npu-*/lib/python3*/site-packages/torch")):
        version = re.search(r"__version__ = '([\d.]+)", (folder / "version.py").read_text(encoding="ascii"))
        found.setdefault(version[1], folder.resolve())    # as the compiler names it in messages, which -ffile-prefix-map then shortens
    return found


def run(*command):
    """In the folder of the sources, so that no other path of theirs is in what is compiled."""
    subprocess.run(list(map(str, command)), cwd=FALLBACK, check=True)


def build(torch, output, prefix, stubs, scratch):
    for library in LIBRARIES:    # without code: the name is all that the linker needs
        run(f"{prefix}gcc", "-shared", "-nostdlib", "-x", "c", "/dev/null", f"-Wl,-soname,{library}", "-o", scratch / library)
    older = [scratch / "glibc.o", scratch / "libstdcxx.o"]
    for compiler, source, output_of in ((("gcc",), "glibc.c", older[0]), (("g++", "-std=c++17"), "libstdcxx.cc", older[1])):
        run(prefix + compiler[0], *compiler[1:], "-c", "-O2", "-fPIC", "-fvisibility=hidden", ROOT / "cmake" / "portable" / source, "-o", output_of)
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "").split()
    run(*launcher, f"{prefix}g++", *versions.FLAGS, f"-ffile-prefix-map={torch}=torch", "-isystem", torch / "include",
        "-isystem", torch / "include/torch/csrc/api/include", "-c", SOURCES[0].name, "-o", scratch / "boxed.o")
    run(f"{prefix}g++", "-shared", scratch / "boxed.o", *older, f"-L{stubs}", f"-L{scratch}",
        "-Wl,--no-as-needed,--allow-shlib-undefined,--strip-all", *(f"-l:{library}" for library in LIBRARIES), "-o", output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--stubs", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="", metavar="PREFIX")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for old in options.folder.glob("torch-*.so"):
        old.unlink()
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
    folders = installed()
    for pair in versions.PAIRS:
        if pair.torch not in folders:
            print(f"torch {pair.torch} is not at hand: its users compile the operators (tools/check_pairs.sh --keep installs it)")
            continue
        output = options.folder / f"torch-{pair.torch}-{digest}.so"
        with tempfile.TemporaryDirectory() as scratch:
            build(folders[pair.torch], output.resolve(), options.compiler, options.stubs.resolve(), pathlib.Path(scratch))
        print(f"{output}: {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
