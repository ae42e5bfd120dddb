# SPDX-License-Identifier: Apache-2.0
"""Kernels in C++: compiled at first use and cached."""

import pathlib
import re
import shutil
import tempfile
import unittest

from npu_case import NPU, PACKAGE, NpuCase, run_python

import torch

from portacl import toolkit
from portacl.fallback import compiled

CALLS = "import portacl, torch\nx = torch.full((4,), 0.5, device='npu')\nprint(torch.erfinv(x).sum().item(), (x + x).sum().item())"
RESULT = "1.907745122909546 4.0\n"
WITHOUT = ("there is no C++ compiler for the operators of PyTorch on npu, which are compiled once; install one: apt install g++ (Debian, Ubuntu), "
           "dnf install gcc-c++ (openEuler, Fedora)")


class Compiled(NpuCase):
    def test_made_once_and_kept(self):
        with tempfile.TemporaryDirectory() as cache:
            first = run_python("-c", CALLS, XDG_CACHE_HOME=cache)
            self.assertEqual(first.stdout, RESULT)
            self.assertRegex(first.stderr, r"^portacl: compiling operators for PyTorch [^ ]+, once ... done\n$")
            second = run_python("-c", CALLS, XDG_CACHE_HOME=cache)
            self.assertEqual((second.stdout, second.stderr), (RESULT, ""))

    def test_without_a_compiler(self):
        with tempfile.TemporaryDirectory() as cache:
            variables = {"XDG_CACHE_HOME": cache, "PATH": cache, "CXX": None}
            run = run_python("-m", "portacl", __file__, **variables)
            self.assertEqual((run.stdout, run.stderr, run.returncode), ("", f"portacl: {WITHOUT}\n", 2))
            run = run_python("-c", "import portacl, torch; print((torch.ones(2).npu() * 2).tolist())", **variables, PORTACL_FALLBACK="0")
            self.assertEqual((run.stdout, run.stderr), ("[2.0, 2.0]\n", ""))
            pathlib.Path(cache, "portacl").mkdir()
            pathlib.Path(cache, "portacl", "fallback-of-another-version.so").touch()
            run = run_python("-c", CALLS, **variables)
            self.assertRegex(run.stderr, f"SetupError: {re.escape(WITHOUT)}\n$")
            self.assertNotIn("NameError", run.stderr)    # which torch_npu raises by itself for a failed call
            self.assertEqual(run.returncode, 1)

    def test_what_comes_compiled_needs_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "portacl")    # as a wheel leaves it, with a toolkit inside
            shutil.copytree(PACKAGE / "portacl", package, ignore=lambda path, names: {"toolkit"} & set(names))
            libraries = package / "toolkit" / "lib64" / "portacl" / "fallback"
            libraries.mkdir(parents=True)
            for place in ("", "lib64", "lib64/portacl"):
                for path in (toolkit.find() / place).iterdir():
                    if not (package / "toolkit" / place / path.name).exists():
                        (package / "toolkit" / place / path.name).symlink_to(path)
            (libraries / compiled._shipped().name).symlink_to(compiled._library())
            run = run_python("-c", CALLS, PYTHONPATH=folder, XDG_CACHE_HOME=folder, PATH=folder, CXX=None)
        self.assertEqual((run.stdout, run.stderr), (RESULT, ""))

    def test_cached_files_that_are_broken(self):
        library = compiled._library()
        with tempfile.TemporaryDirectory() as cache:
            broken, compiler = pathlib.Path(cache, "portacl", library.name), pathlib.Path(cache, "copies")
            broken.parent.mkdir()
            compiler.write_text(f'#!/bin/sh\nfor output; do :; done\ncp "{library}" "$output"\n', encoding="utf-8")
            compiler.chmod(0o755)
            for size in (0, library.stat().st_size // 2):
                broken.write_bytes(library.read_bytes()[:size])
                run = run_python("-c", CALLS, XDG_CACHE_HOME=cache, CXX=str(compiler))
                self.assertEqual(run.stdout, RESULT)
                self.assertRegex(run.stderr, "^portacl: compiling operators .* done\n$")
                self.assertEqual(broken.read_bytes(), library.read_bytes())
            self.assertEqual(list(broken.parent.iterdir()), [broken])
            broken.write_bytes(bytes(library.stat().st_size))
            run = run_python("-c", CALLS, XDG_CACHE_HOME=cache)
            self.assertRegex(run.stderr, f"SetupError: the operators of PyTorch on npu cannot be loaded: .*{broken}.*; remove that file, .*\n$")
            self.assertEqual(run.returncode, 1)

    def test_a_compiler_that_fails(self):
        with tempfile.TemporaryDirectory() as cache:
            run = run_python("-c", CALLS, XDG_CACHE_HOME=cache, CXX="false")
        self.assertRegex(run.stderr, f"SetupError: false could not compile the operators of PyTorch on npu: {cache}/.*[.]log\n")
        self.assertEqual(run.returncode, 1)

    def test_large_results_are_the_devices_own_memory(self):
        # Native operators use these tensors, and freed memory goes back to the device.
        for _ in range(3):
            x = torch.rand(1 << 16, device=NPU)
            y = torch.special.i1e(x)
            self.assert_same(y + y, 2 * torch.special.i1e(x.cpu()))
        del x, y
        before = torch.npu.memory_allocated()
        y = torch.special.i1e(torch.rand(1 << 16, device=NPU))
        self.assertEqual(torch.npu.memory_allocated() - before, 4 << 16)
        del y
        self.assertEqual(torch.npu.memory_allocated(), before)

    def test_results_that_share_memory(self):
        parts = torch.rand(64, 1 << 12).npu().unbind(0)
        self.assert_same(torch.stack(parts), torch.stack([part.cpu() for part in parts]))
        values, vectors = torch.linalg.eigh(torch.eye(100, device=NPU))
        self.assert_same(values, torch.ones(100))
        self.assert_same(vectors.abs().sum(), torch.tensor(100.0))


if __name__ == "__main__":
    unittest.main()
