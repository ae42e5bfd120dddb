# SPDX-License-Identifier: Apache-2.0
"""Random numbers on "npu", drawn by the toolkit with the seed and the offset of the device's generator."""

import os
import unittest

os.environ["PORTACL_DRAWS"] = "npu"    # before npu_case sets another

from npu_case import NPU, NpuCase, run_python

import torch
from torch.nn import functional

from portacl.fallback import native

COUNT = 1 << 16
# What each draws natively, and the mean and the standard deviation of its numbers.
DRAWS = {
    "uniform_": (lambda: torch.rand(COUNT, device=NPU), 0.5, 12**-0.5),
    "normal_": (lambda: torch.randn(COUNT, device=NPU), 0, 1),
    "random_.from": (lambda: torch.randint(-5, 6, (COUNT,), device=NPU), 0, 10**0.5),
    "random_.to": (lambda: torch.empty(COUNT, device=NPU).random_(3), 1, (2 / 3)**0.5),
    "random_": (lambda: torch.empty(COUNT, device=NPU, dtype=torch.uint8).random_(), 127.5, 73.9),
    "bernoulli_.float": (lambda: torch.empty(COUNT, device=NPU).bernoulli_(0.3), 0.3, 0.458),
    "bernoulli_.Tensor": (lambda: torch.empty(COUNT, device=NPU).bernoulli_(torch.full((COUNT,), 0.3, device=NPU)), 0.3, 0.458),
    "bernoulli": (lambda: torch.bernoulli(torch.full((COUNT,), 0.3, device=NPU)), 0.3, 0.458),
    "multinomial": (lambda: torch.multinomial(torch.tensor([1.0, 0, 2, 1], device=NPU), COUNT, True), 1.75, 1.09),
    "randperm": (lambda: torch.randperm(COUNT, device=NPU), (COUNT - 1) / 2, COUNT * 12**-0.5),
    "normal.Tensor_Tensor": (lambda: torch.normal(torch.full((COUNT,), 2.0, device=NPU), torch.full((COUNT,), 3.0, device=NPU)), 2, 3),
    "normal.Tensor_float": (lambda: torch.normal(torch.full((COUNT,), 2.0, device=NPU), 3.0), 2, 3),
    "normal.float_Tensor": (lambda: torch.normal(2.0, torch.full((COUNT,), 3.0, device=NPU)), 2, 3),
}


class Draws(NpuCase):
    def setUp(self):
        torch.manual_seed(42)

    def test_operators_draw_natively_from_their_distribution(self):
        for name, (draw, mean, deviation) in DRAWS.items():
            with self.subTest(name):
                native.forget()
                numbers = draw()
                ran, missing = native.outcomes()
                self.assertIn(name, ran)
                self.assertEqual(missing, {})
                numbers = numbers.double().cpu()
                self.assertLess(abs(numbers.mean().item() - mean), 5 * deviation / COUNT**0.5)
                self.assertLess(abs(numbers.std().item() / deviation - 1), 0.02)

    def test_numbers_are_those_of_the_operators(self):
        self.assert_same(torch.rand(4, device=NPU), torch.tensor([0.61295986, 0.46858650, 0.07323170, 0.34086150]))

    def test_each_integer_is_equally_probable(self):
        for numbers in (torch.randint(0, 8, (COUNT,), device=NPU), torch.multinomial(torch.ones(8, device=NPU), COUNT, True),
                        torch.multinomial(torch.ones(COUNT // 16, 8, device=NPU), 1).repeat(16, 1).flatten()):
            counts = torch.bincount(numbers.cpu(), minlength=8)
            self.assertLess((counts - COUNT / 8).abs().max().item(), COUNT / 64)

    def test_permutations_and_samples_have_no_repeats(self):
        self.assertEqual(torch.randperm(1000, device=NPU).sort().values.tolist(), list(range(1000)))
        drawn = torch.multinomial(torch.rand(5, 20, device=NPU) + 0.1, 20).cpu()
        self.assertEqual(drawn.sort(1).values.tolist(), [list(range(20))] * 5)

    def test_states_repeat_numbers_and_calls_do_not(self):
        def draw():
            return [function() for function, *_ in DRAWS.values()] + [functional.dropout(torch.ones(COUNT, device=NPU))]

        on_cpu = torch.get_rng_state()
        first, state = draw(), torch.npu.get_rng_state()
        second = draw()
        torch.npu.set_rng_state(state)
        for one, same, other in zip(second, draw(), first):
            self.assert_same(same, one.cpu())
            self.assertFalse(torch.equal(one, other))
        torch.manual_seed(42)
        for one, same in zip(first, draw()):
            self.assert_same(same, one.cpu())
        self.assertTrue(torch.equal(torch.get_rng_state(), on_cpu))
        long, short = torch.rand(1000, device=NPU).cpu(), torch.rand(4, device=NPU).cpu()
        self.assertFalse(torch.isin(short, long).any())

    def test_a_generator_has_numbers_of_its_own(self):
        generator = torch.Generator(device=NPU).manual_seed(42)
        want = torch.rand(5, device=NPU)
        self.assert_same(torch.rand(5, device=NPU, generator=generator), want.cpu())
        on_cpu = torch.Generator().manual_seed(3)
        self.assert_same(torch.empty(5, device=NPU).uniform_(generator=on_cpu), torch.empty(5).uniform_(generator=on_cpu.manual_seed(3)))

    def test_dropout_keeps_elements_by_a_mask_of_bits(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = torch.ones(50, 401, device=NPU, dtype=dtype).t().requires_grad_()
            native.forget()
            y = functional.dropout(x, 0.2)
            first, = torch.autograd.grad(y.square().sum(), x, create_graph=True)
            self.assertNotIn("native_dropout", native.outcomes()[1])
            kept = y.detach().cpu() != 0
            self.assertLess(abs(kept.double().mean().item() - 0.8), 0.02)
            factor = torch.tensor(1.25, dtype=dtype)
            self.assert_same(y, kept * factor)
            self.assert_same(first, kept * (2 * factor * factor))
            second, = torch.autograd.grad(first.sum(), x)
            self.assert_same(second, kept * (2 * factor * factor))

    def test_dropout_of_other_tensors_is_composed(self):
        x = torch.ones(1000, device=NPU, dtype=torch.float64, requires_grad=True)
        y = functional.dropout(x, 0.5)
        gradient, = torch.autograd.grad(y.sum(), x)
        self.assert_same(gradient, y.cpu())
        self.assertEqual(sorted(set(y.tolist())), [0, 2])
        self.assert_same(functional.dropout(x, 1.0), torch.zeros(1000, dtype=torch.float64))
        self.assertEqual(functional.dropout(torch.empty(0, device=NPU), 0.5).numel(), 0)
        batch = torch.vmap(lambda row: functional.dropout(row, 0.5), randomness="different")(torch.ones(2, 100, device=NPU))
        self.assertFalse(torch.equal(batch[0], batch[1]))
        self.assertEqual(set(torch.func.grad(lambda row: functional.dropout(row, 0.5).sum())(torch.ones(100, device=NPU)).tolist()), {0, 2})

    def test_what_drops_nothing_draws_nothing(self):
        x, state = torch.ones(4, device=NPU), torch.npu.get_rng_state()
        functional.dropout(x, training=False), functional.dropout(x, 0.0), torch.native_dropout(x, 0.5, False)
        self.assertTrue(torch.equal(torch.npu.get_rng_state(), state))

    # As on a card, elements are seen when the operator runs.
    def test_what_is_no_probability_is_reported(self):
        source = """if True:
            import portacl, torch
            torch.bernoulli(torch.tensor([0.5, 2.0], device="npu"))
            torch.npu.synchronize()"""
        process = run_python("-c", source, PORTACL_DRAWS="npu")
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("507015", process.stderr)

    def test_a_variable_draws_on_the_cpu(self):
        source = """if True:
            import portacl, torch
            torch.manual_seed(3); want = torch.rand(5)
            torch.manual_seed(3); print(torch.equal(torch.rand(5, device="npu").cpu(), want))"""
        self.assertEqual(run_python("-c", source, PORTACL_DRAWS="cpu").stdout, "True\n")
        self.assertEqual(run_python("-c", source, PORTACL_DRAWS=None).stdout, "False\n")


if __name__ == "__main__":
    unittest.main()
