# SPDX-License-Identifier: Apache-2.0
"""Strict mode with PyTorch: memory that the plug-in keeps until the process ends is not a leak, but the program's own allocations are."""

import unittest

from npu_case import run_python

GLOBALS = """
import portacl, torch
model = torch.nn.Linear(8, 2).npu()
x, pinned = torch.randn(16, 8, device="npu"), torch.zeros(64).pin_memory()
model(x).sum().backward()
torch.optim.AdamW(model.parameters()).step()
"""

LEAK = """
import ctypes
def leak():
    block = ctypes.c_void_p()
    assert ctypes.CDLL("libascendcl.so").aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(4096), 0) == 0
leak()
"""


class Strict(unittest.TestCase):
    def test_tensors_in_globals_are_no_leak(self):
        done = run_python("-c", GLOBALS, PORTACL_CHECK="error")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_leak_of_the_program_is_told(self):
        done = run_python("-c", GLOBALS + LEAK, PORTACL_CHECK="error")
        self.assertEqual(done.returncode, 99, done.stderr)
        self.assertRegex(done.stderr, r"^portacl: check: leak: 4096 bytes of device memory were never freed\n.*\nportacl: check: 1 reports, found 1 times\n$")


if __name__ == "__main__":
    unittest.main()
