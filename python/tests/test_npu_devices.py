# SPDX-License-Identifier: Apache-2.0
"""Tensors on several devices in one call: refused if a card refuses them, so that a forgotten .to(device) is detected here."""

import unittest

from npu_case import NPU, NpuCase, run_python

import torch
from torch import nn
from torch.nn import functional

TWO_CARDS = """
import portacl, torch
x, y = torch.rand(3, device="npu:0"), torch.rand(3, device="npu:1")
for function in (torch.special.log_ndtr, torch.special.entr):
    function(x), function(y)
for function in (torch.special.zeta, torch.add, lambda a, b: torch.cat([a, b]), torch.fmod):
    try:
        print(function(x, y))
    except RuntimeError as error:
        print("same device" in str(error))
"""


class Devices(NpuCase):
    def test_what_a_card_refuses(self):
        x, y, names = torch.rand(3, 3, device=NPU), torch.rand(3, 3), torch.tensor([0, 1, 2])
        for function in (
            lambda: x + y, lambda: y * x, lambda: x.clone().mul_(y), lambda: x @ y, lambda: torch.special.zeta(x, y),
            lambda: torch.special.i1e(x, out=y), lambda: functional.linear(x, y), lambda: functional.mse_loss(x, y),
            lambda: functional.cross_entropy(x, names), lambda: torch.cat([y, x]), lambda: functional.embedding(names, x),
            lambda: x.gather(0, names[None]), lambda: torch.where(y > 0, x, x), lambda: functional.conv2d(x[None, None], y[None, None]),
            lambda: nn.BatchNorm1d(3)(x), lambda: nn.LSTM(3, 3)(x), lambda: nn.LSTM(3, 3).requires_grad_(False)(x),
            lambda: functional.scaled_dot_product_attention(x[None], y[None], y[None]), lambda: torch._foreach_add([x], [y]),
            lambda: torch.bucketize(x, y[0]), lambda: x.repeat_interleave(names, 0),
        ):
            with self.assertRaisesRegex(RuntimeError, "(?i)expected all tensors to be on the same device"):
                function()

    def test_what_a_card_takes(self):
        x, names = torch.rand(3, 3, device=NPU), torch.tensor([2, 0])
        self.assert_same(x + torch.tensor(2.0), x.cpu() + 2)
        self.assert_same(torch.special.zeta(x + 1, torch.tensor(2.0)), torch.special.zeta(x.cpu() + 1, torch.tensor(2.0)))
        self.assert_same(x[names], x.cpu()[names])
        self.assert_same(x[x.cpu() > 0.5], x.cpu()[x.cpu() > 0.5])
        self.assert_same(x.clone().copy_(torch.ones(3, 3)), torch.ones(3, 3))
        self.assert_same(x.tensor_split(torch.tensor([1]))[1], x.cpu()[1:])

    def test_two_cards(self):
        run = run_python("-c", TWO_CARDS, PORTACL_DEVICES="2")
        self.assertEqual(run.stdout.splitlines(), ["True"] * 4, run.stderr)


if __name__ == "__main__":
    unittest.main()
