# SPDX-License-Identifier: Apache-2.0
"""The ten operators through PyTorch: values, gradients, all memory layouts of tensors, error messages, and gradients at complex numbers."""

import unittest

from npu_case import NPU, NpuCase

import torch
import torch_npu
from torch.nn import functional

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def probabilities(*shape):
    return torch.rand(shape) * 0.8 + 0.1


def swiglu(x, dim=-1):
    left, right = x.chunk(2, dim)
    return functional.silu(left) * right


def masked_softmax(x, mask, scale):
    return (x * scale).masked_fill(mask, -10000.0).softmax(-1)


class Operators(NpuCase):
    def setUp(self):
        torch.manual_seed(0)

    def check(self, function, expected, first, *rest, move=lambda tensor: tensor, tolerances=None):
        """Checks that result and gradient on the npu equal those of float64 on the CPU, rounded to the dtype of the first input."""
        tolerances = tolerances or {}
        npu = first.to(NPU).requires_grad_()
        exact = first.double().requires_grad_()
        result = function(move(npu), *(value.to(NPU) if isinstance(value, torch.Tensor) else value for value in rest))
        want = expected(move(exact), *(value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value
                                       for value in rest))
        self.assert_same(result, want.to(result.dtype), **tolerances)
        seed = torch.randn(want.shape, dtype=torch.float64).to(result.dtype)
        gradient, = torch.autograd.grad(result, npu, seed.to(NPU))
        want_gradient, = torch.autograd.grad(want, exact, seed.double())
        self.assert_same(gradient, want_gradient.to(gradient.dtype), **tolerances)

    def test_pairs_in_every_dtype(self):
        mask = torch.rand(2, 1, 5, 7) < 0.3
        for dtype in DTYPES:
            with self.subTest(dtype=dtype):
                self.check(torch.logit, torch.logit, probabilities(17, 9).to(dtype))
                self.check(lambda x: torch.logit(x, 0.3), lambda x: torch.logit(x, 0.3), probabilities(64).to(dtype))
                for reduction in ("none", "mean", "sum"):
                    loss = lambda x, y: functional.smooth_l1_loss(x, y, reduction=reduction, beta=0.7)
                    self.check(loss, loss, torch.randn(6, 11).to(dtype), torch.randn(6, 11).to(dtype))
                for dim in (-1, 0, 1):
                    self.check(lambda x: torch_npu.npu_swiglu(x, dim), lambda x: swiglu(x, dim), torch.randn(4, 6, 8).to(dtype))
                # The gradient is computed from the rounded softmax, so that its error is that of values up to 1.
                epsilon = torch.finfo(dtype).eps
                near_one = {"rtol": 2 * epsilon, "atol": epsilon / 2}
                self.check(lambda x, m: torch_npu.npu_scaled_masked_softmax(x, m, 0.5, False),
                           lambda x, m: masked_softmax(x, m, 0.5), torch.randn(2, 3, 5, 7).to(dtype), mask, tolerances=near_one)

    def test_ctc(self):
        targets = torch.randint(1, 6, (3, 4))
        lengths, target_lengths = torch.tensor([12, 11, 9]), torch.tensor([4, 3, 0])
        for reduction in ("none", "mean", "sum"):
            loss = lambda x, y: functional.ctc_loss(x, y, lengths, target_lengths, reduction=reduction, zero_infinity=True)
            self.check(loss, loss, torch.randn(12, 3, 6).log_softmax(-1), targets)
        loss = lambda x: functional.ctc_loss(x, torch.tensor([1, 2, 3]).to(x.device), (12,), (3,))
        self.check(loss, loss, torch.randn(12, 6).log_softmax(-1))

    def test_the_target_has_a_gradient_too(self):
        x, y = torch.randn(5, 4), torch.randn(5, 4)
        npu_target, target = y.to(NPU).requires_grad_(), y.clone().requires_grad_()
        functional.smooth_l1_loss(x.to(NPU), npu_target).backward()
        functional.smooth_l1_loss(x, target).backward()
        self.assert_same(npu_target.grad, target.grad)

    def test_every_layout(self):
        layouts = {
            "transposed": lambda x: x.transpose(0, 1),
            "every other": lambda x: x[::2, 1::3],
            "expanded": lambda x: x[:1].expand(5, -1),
            "an offset": lambda x: x[2:],
            "rank 0": lambda x: x[1, 1],
            "empty": lambda x: x[:0],
            "rank 3 (NCL)": lambda x: x.reshape(2, 3, 12),
            "rank 4 (NCHW)": lambda x: x.reshape(2, 3, 3, 4),
            "rank 5 (NCDHW)": lambda x: x.reshape(1, 2, 3, 3, 4),
        }
        for name, move in layouts.items():
            with self.subTest(layout=name):
                self.check(torch.logit, torch.logit, probabilities(6, 12), move=move)
                other = move(torch.randn(6, 12))
                self.check(functional.smooth_l1_loss, functional.smooth_l1_loss, torch.randn(6, 12), other, move=move)
                if name not in ("rank 0", "empty"):  # these have no halves
                    self.check(torch_npu.npu_swiglu, swiglu, torch.randn(6, 24),
                               move=lambda x: move(x.reshape(6, 2, 12).transpose(0, 1)[0]).repeat_interleave(2, -1))

    def test_a_summed_gradient_is_one_expanded_number(self):
        x = torch.randn(4, 6)
        npu, cpu = x.to(NPU).requires_grad_(), x.clone().requires_grad_()
        torch_npu.npu_swiglu(npu).sum().backward()
        swiglu(cpu).sum().backward()
        self.assert_same(npu.grad, cpu.grad)

    def test_gradients_at_complex_numbers_are_conjugated(self):
        x = torch.tensor([0.3 + 0.4j, -1 + 2j, 0.5 - 0.1j], dtype=torch.complex128)
        exact = (x.sigmoid() * (1 - x.sigmoid())).conj()
        for dtype, tolerance in ((torch.complex64, 1e-6), (torch.complex128, 1e-14)):
            for function, want in ((torch.sigmoid, exact), (torch.tanh, (1 - x.tanh().square()).conj()), (torch.exp, x.exp().conj())):
                leaf = x.to(NPU, dtype).requires_grad_()
                function(leaf).backward(torch.ones(3, dtype=dtype, device=NPU))
                self.assert_same(leaf.grad, want.to(dtype), rtol=tolerance, atol=tolerance)
            out = torch.empty(3, dtype=dtype, device=NPU)
            torch.ops.aten.sigmoid_backward(torch.ones_like(out), x.sigmoid().to(NPU, dtype), grad_input=out)
            self.assert_same(out, exact.to(dtype), rtol=tolerance, atol=tolerance)

    def test_an_index_may_name_nothing(self):
        x, none, one, no = torch.arange(25.0).reshape(5, 5), torch.empty(0, dtype=torch.int64), torch.tensor([1]), torch.zeros(5, dtype=torch.bool)
        for indices in ((none,), (slice(None), none), (one, none), (none.reshape(3, 0), one), (no,), (slice(None), no), (one, no), (x > 25,)):
            wanted, found, there = x.clone(), x.to(NPU), tuple(i.to(NPU) if isinstance(i, torch.Tensor) else i for i in indices)
            self.assert_same(found[there], wanted[indices])
            wanted[indices], found[there] = 5.0, 5.0
            self.assert_same(found, wanted)

    def test_an_index_may_have_another_rank_or_be_empty(self):
        for x, index in ((torch.tensor(2.5), [0, 0]), (torch.rand(5), 3), (torch.rand(5), [[], []]), (torch.rand(2, 3), []), (torch.rand(0, 3), [[], []])):
            index = torch.tensor(index, dtype=torch.int64)
            for function in (lambda x, i: x.gather(0, i), lambda x, i: x.scatter(0, i, 7.0), lambda x, i: x.scatter_add(0, i, i + 1.0)):
                wanted, found = x.clone().requires_grad_(), x.to(NPU).requires_grad_()
                results = function(wanted, index), function(found, index.to(NPU))
                self.assert_same(results[1], results[0])
                for result in results:
                    result.sum().backward()
                self.assert_same(found.grad, wanted.grad)

    def test_lists_have_any_dtype(self):
        for dtype in (torch.float64, torch.int64, torch.complex64, torch.float32):
            x, y = torch.tensor([1.0, 2.0]).to(dtype), torch.tensor([3.0]).to(dtype)
            for name in ("add", "sub", "mul", "div", "pow"):
                operator = getattr(torch, "_foreach_" + name)
                for npu, cpu in zip(operator([x.to(NPU), y.to(NPU)], 2), operator([x, y], 2)):
                    self.assert_same(npu, cpu)
            for name in ("neg", "sqrt", "exp"):
                operator = getattr(torch, "_foreach_" + name)
                for npu, cpu in zip(operator([x.to(NPU), y.to(NPU)]), operator([x, y])):
                    self.assert_same(npu, cpu)
            third = torch.tensor([2]).to(dtype)    # numbers in a tensor, which stays on the CPU
            self.assert_same(torch._foreach_addcmul([x.to(NPU)], [x.to(NPU)], [x.to(NPU)], third)[0], torch._foreach_addcmul([x], [x], [x], third)[0])
            zeroed = x.to(NPU)
            torch._foreach_zero_([zeroed])
            self.assert_same(zeroed, torch.zeros(2, dtype=dtype))

    def test_a_kernel_may_run_other_operators_before_it_misses_a_dtype(self):
        for dtype in (torch.float32, torch.complex128):
            x, mask = torch.ones(4, dtype=dtype, device=NPU), torch.tensor([True, False, True, False], device=NPU)
            x[mask] = torch.tensor([2, 3], dtype=dtype, device=NPU)
            self.assert_same(x, torch.tensor([2, 1, 3, 1], dtype=dtype))

    def test_in_place_and_out(self):
        x = probabilities(7, 3)
        npu = x.to(NPU)
        address = npu.data_ptr()
        self.assertEqual(npu.logit_().data_ptr(), address)
        self.assert_same(npu, x.logit())
        out = torch.empty(7, 3, device=NPU)
        torch.logit(x.to(NPU), out=out)
        self.assert_same(out, x.logit())

    def test_a_refused_call_says_why_and_hurts_no_other(self):
        x = torch.randn(3, 5, device=NPU)
        refused = (
            (lambda: torch_npu.npu_swiglu(x), "aclnnSwiGlu: argument 'x': expected a multiple of 2 along axis 1, got \\[3,5\\]"),
            (lambda: torch_npu.npu_scaled_masked_softmax(x, x > 0), "aclnnScaledMaskedSoftmax: argument 'x': expected rank 4"),
            (lambda: torch.ops.aten.smooth_l1_loss(x, x, 0, -1.0), "aclnnSmoothL1Loss: argument 'beta': expected .*got -1"),
        )
        for call, message in refused:
            with self.assertRaisesRegex(RuntimeError, message):
                call()
            self.assert_same(torch.logit(torch.full((2,), 0.5, device=NPU)), torch.zeros(2))

    def test_an_operator_that_nobody_has_says_so(self):
        x = torch.ones(3, device=NPU)
        with self.assertRaisesRegex(RuntimeError, "npu_one_hot runs on a card, but not with Portacl.*missing: aclnnOneHot"):
            torch_npu.npu_one_hot(x.long(), depth=5)
        self.assert_same(x + 1, torch.full((3,), 2.0))


if __name__ == "__main__":
    unittest.main()
