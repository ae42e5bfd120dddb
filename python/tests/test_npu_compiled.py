# SPDX-License-Identifier: Apache-2.0
"""Kernels in C++: compiled at first use, cached, and replaced by Python where they are not available."""

import tempfile
import unittest

from npu_case import NPU, NpuCase, run_python

import torch

from portacl.fallback import native

CALLS = "import portacl, torch\nx = torch.full((4,), 0.5, device='npu')\nprint(torch.erfinv(x).sum().item(), (x + x).sum().item())"
RESULT = "1.907745122909546 4.0\n"


class Compiled(NpuCase):
    def test_they_serve(self):
        self.assertIsNotNone(native.compiled)

    def test_made_once_and_kept(self):
        with tempfile.TemporaryDirectory() as cache:
            first = run_python("-c", CALLS, XDG_CACHE_HOME=cache)
            self.assertEqual(first.stdout, RESULT)
            self.assertRegex(first.stderr, r"^portacl: compiling operators for PyTorch [^ ]+, once ... done\n$")
            second = run_python("-c", CALLS, XDG_CACHE_HOME=cache)
            self.assertEqual((second.stdout, second.stderr), (RESULT, ""))

    def test_without_a_compiler(self):
        with tempfile.TemporaryDirectory() as cache:
            run = run_python("-c", CALLS, XDG_CACHE_HOME=cache, PATH=cache)
        self.assertEqual(run.stdout, RESULT)
        self.assertEqual(run.stderr, "portacl: operators that run on the CPU take longer: there is no C++ compiler to compile them with\n")

    def test_a_compiler_that_fails_is_asked_once(self):
        with tempfile.TemporaryDirectory() as cache:
            for sentence in ("could not be compiled:", "could not be compiled before:"):
                run = run_python("-c", CALLS, XDG_CACHE_HOME=cache, CXX="false")
                self.assertEqual(run.stdout, RESULT)
                self.assertIn(sentence, run.stderr)

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
