# SPDX-License-Identifier: Apache-2.0
"""Whole programs (programs/*.py) on "npu" compared with the CPU: three steps of each; programs/run.py prints details."""

import pathlib
import sys
import unittest
from unittest import mock

from npu_case import run_python

import torch

FOLDER = pathlib.Path(__file__).with_name("programs")


class Programs(unittest.TestCase):
    def test_they_compute_what_the_cpu_computes(self):
        run = run_python(str(FOLDER / "run.py"), "--check", "--steps", "3", OMP_NUM_THREADS="1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertGreaterEqual(len(run.stdout.splitlines()), 30)

    def test_a_difference_is_found(self):
        with mock.patch("sys.path", [str(FOLDER), *sys.path]):
            import run
        one = torch.ones(3)
        self.assertEqual(run.difference([one, 4 * one], [one, 2 * one]), 1)
        self.assertRaises(ValueError, run.difference, [one], [one, one])


if __name__ == "__main__":
    unittest.main()
