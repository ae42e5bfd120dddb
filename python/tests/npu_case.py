# SPDX-License-Identifier: Apache-2.0
"""Imported first by every test of PyTorch on the toolkit: imports portacl before torch, and skips the test if torch-npu is missing."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

# The folder of the package: the one that PYTHONPATH names or that is installed, such as a wheel's, else the source tree's.
_spec = importlib.util.find_spec("portacl")
PACKAGE = pathlib.Path(_spec.origin).resolve().parents[1] if _spec else pathlib.Path(__file__).resolve().parents[1]
if not _spec:
    sys.path.insert(0, str(PACKAGE))

from portacl import pytorch

# What is compared with the CPU draws its numbers; test_npu_draws.py, which does not, sets this before.
os.environ.setdefault(pytorch.DRAWS, "cpu")
if not pytorch.installed():
    raise unittest.SkipTest("torch-npu is not installed")
pytorch.prepare()

import torch
import torch_npu  # noqa: F401 (registers the device)

from portacl.fallback import compiled

compiled.load()    # here, if nothing has compiled the operators yet: the processes that tests start would say so

NPU = torch.device("npu:0")


def run_python(*arguments, **variables):
    """Runs a separate Python process with this package; variables set to None are removed. Returns the result of subprocess.run."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    # A fresh process prepares itself; variables set by this process would hide errors of that.
    for name in ("ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "PORTACL_SOC", "TASK_QUEUE_ENABLE", "PORTACL_FALLBACK"):
        environment.pop(name, None)
    for name, value in variables.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300)


class NpuCase(unittest.TestCase):
    def assert_same(self, npu, cpu, **tolerances):
        """Asserts that `npu` is on the npu and has the values, shape and dtype of `cpu`."""
        self.assertEqual(npu.device, NPU)
        torch.testing.assert_close(npu.detach().cpu(), cpu.detach(), equal_nan=True, **tolerances)
