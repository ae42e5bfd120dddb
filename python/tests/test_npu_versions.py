# SPDX-License-Identifier: Apache-2.0
"""What versions.py does for several versions of PyTorch, as far as the installed one can do it."""

import unittest

import npu_case  # noqa: F401 (portacl before torch)

import torch

from portacl import versions


class Differences(unittest.TestCase):
    def test_the_installed_pair_is_of_the_table(self):
        self.assertIn(versions._installed(), [versions.release(pair.torch) for pair in versions.PAIRS])

    def test_composites_that_call_kernels_of_the_cpu(self):
        x = torch.tensor([[1.0, float("nan")], [2.0, 4.0]])
        for name in ("nanmean", "nansum"):
            out = torch.empty(2, device="npu")
            getattr(torch, name)(x.npu(), 0, out=out)
            self.assertEqual(out.cpu().tolist(), getattr(torch, name)(x, 0).tolist())


if __name__ == "__main__":
    unittest.main()
