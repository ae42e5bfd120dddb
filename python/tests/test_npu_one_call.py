# SPDX-License-Identifier: Apache-2.0
"""Attention and recurrent layers: one call of the CPU each, forward and backward, with the CPU's numbers."""

import unittest

from npu_case import NpuCase

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import rnn
from torch.utils.checkpoint import checkpoint

attention = functional.scaled_dot_product_attention


def layer(kind, **options):
    def run(device):
        model = kind(8, 16, 2, **options).to(device)
        x = torch.rand(5, 3, 8).to(device).requires_grad_()
        y, last = model(x)
        last = last if isinstance(last, tuple) else (last,)
        (y.square().sum() + last[0].sum()).backward()
        return [y, *last, x.grad, *(parameter.grad for parameter in model.parameters())]
    return run


def attending(masked=False, **options):
    def run(device):
        q, k, v = (torch.rand(2, 4, 6, 8).to(device).requires_grad_() for _ in range(3))
        y = attention(q, k, v, torch.rand(6, 6).to(device) if masked else None, **options)
        y.square().sum().backward()
        return [y, q.grad, k.grad, v.grad]
    return run


class OneCall(NpuCase):
    def both(self, run):
        """Checks that `run` returns the same on the npu as on the CPU."""
        outcomes = []
        for device in ("npu", "cpu"):
            torch.manual_seed(0)
            outcomes.append(run(device))
        for npu, cpu in zip(*outcomes, strict=True):
            self.assert_same(npu, cpu)

    def test_recurrent_layers(self):
        for kind, options in ((nn.LSTM, {}), (nn.LSTM, {"bidirectional": True}), (nn.LSTM, {"batch_first": True}), (nn.GRU, {}), (nn.RNN, {}),
                              (nn.RNN, {"nonlinearity": "relu"})):
            with self.subTest(kind=kind.__name__, **options):
                self.both(layer(kind, **options))

    def test_packed_sequences(self):
        def run(device):
            model = nn.LSTM(8, 16).to(device)
            x = torch.rand(5, 3, 8).to(device).requires_grad_()
            y, _ = rnn.pad_packed_sequence(model(rnn.pack_padded_sequence(x, [5, 3, 2]))[0])
            y.square().sum().backward()
            return [y, x.grad]

        self.both(run)

    def test_attention(self):
        for options in ({}, {"masked": True}, {"is_causal": True}, {"scale": 0.5}):
            with self.subTest(**options):
                self.both(attending(**options))

    def test_without_gradients(self):
        @torch.no_grad()
        def run(device):
            x = torch.rand(1, 2, 3, 4).to(device)
            y, last = nn.GRU(4, 5).to(device)(x[0, 0])
            return [attention(x, x, x), y, last]

        self.both(run)

    def test_derivatives_of_derivatives(self):
        def run(device):
            q = torch.rand(1, 1, 3, 4).to(device).requires_grad_()
            with sdpa_kernel(SDPBackend.MATH):    # the CPU's other kernel has no second derivative
                y = attention(q, q, q).sum()
            first, = torch.autograd.grad(y, q, create_graph=True)
            return [first, *torch.autograd.grad(first.square().sum(), q)]

        self.both(run)

    def test_function_transforms(self):
        def run(device):
            q = torch.rand(3, 4, 8).to(device)
            return [torch.func.grad(lambda x: attention(x, x, x).sum())(q), torch.func.vmap(lambda x: attention(x, x, x))(q)]

        self.both(run)

    def test_a_checkpoint_is_computed_again_once(self):
        computed = []

        def block(x, dropped):
            computed.append(x.device.type)
            return attention(x, x, x, dropout_p=dropped)

        for dropped in (0.0, 0.5):
            def run(device, dropped=dropped):
                x = torch.rand(2, 4, 6, 8).to(device).requires_grad_()
                checkpoint(block, x * 2, dropped, use_reentrant=False).square().sum().backward()
                return [x.grad] if dropped == 0 else []

            self.both(run)
            self.assertEqual(computed, ["npu"] * 2 + ["cpu"] * 2)
            computed.clear()

    def test_what_the_program_packs_is_not_kept_elsewhere(self):
        x = torch.rand(4, 64, 256, 8, device="npu", requires_grad=True)
        want, = torch.autograd.grad(attention(x, x, x).sum(), x)

        def saved_elsewhere():
            with torch.autograd.graph.save_on_cpu():
                q, k, v = x * 1, x * 1, x * 1
                return attention(q, k, v)

        before = torch.npu.memory_allocated()
        y = saved_elsewhere()
        self.assertLess(torch.npu.memory_allocated() - before, 2 * x.nbytes)
        self.assert_same(torch.autograd.grad(y.sum(), x)[0], want.cpu())

    def test_a_weight_that_was_changed_before_the_backward(self):
        model = nn.LSTM(4, 4).npu()
        y, _ = model(torch.rand(2, 1, 4, device="npu"))
        with torch.no_grad():
            model.weight_ih_l0.add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()


if __name__ == "__main__":
    unittest.main()
