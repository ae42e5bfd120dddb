# SPDX-License-Identifier: Apache-2.0
"""Copies that the plug-in's own kernel gets wrong: into conjugated and negated views, and between devices."""

import unittest

from npu_case import NPU, NpuCase, run_python

import torch

# Every view of device 1 into every layout and dtype of device 0.
BETWEEN = """
import portacl, torch
c = torch.arange(24.).reshape(4, 6)
x = c.to("npu:1")
views = (lambda t: t, lambda t: t.t(), lambda t: t[:, ::2], lambda t: t[:, 2:], lambda t: t.view(2, 2, 6).permute(2, 0, 1),
         lambda t: t.diagonal(), lambda t: t[:1].expand(4, 6), lambda t: t[0], lambda t: t[:0])
for view in views:
    source, want = view(x), view(c)
    results = [source.to("npu:0"), source.to("npu:0", torch.float16), source.to("npu:0", torch.int32, non_blocking=True),
               torch.empty(want.shape, device="npu:0").copy_(source), torch.empty(want.shape[::-1], device="npu:0").permute(
               *range(want.dim())[::-1]).copy_(source), torch.empty((3, *want.shape), device="npu:0").copy_(source)[1]]
    for result in results:
        assert result.device.index == 0 and torch.equal(result.cpu().float(), want), (want.shape, result.dtype)
z = torch.complex(c, c + 1)
assert torch.equal(z.to("npu:1").conj().to("npu:0").cpu(), z.conj())
leaf = c.to("npu:1").requires_grad_()
leaf.t().to("npu:0", torch.float64).square().sum().backward()
assert leaf.grad.device.index == 1 and torch.equal(leaf.grad.cpu(), 2 * c)
# What device 1 has still to do comes before.
for _ in range(20):
    y = x
    for _ in range(30):
        y = y + 1
    assert torch.equal(y.t().to("npu:0").cpu(), (c + 30).t())
print("ok")
"""


class Copies(NpuCase):
    def setUp(self):
        torch.manual_seed(0)
        self.z = torch.complex(torch.arange(1.0, 5.0).reshape(2, 2), torch.arange(2.0, 6.0).reshape(2, 2))

    def test_into_lazy_views(self):
        diagonal = lambda t: torch.eye(2, dtype=torch.bool, device=t.device)
        row = lambda t: torch.zeros(1, 2, dtype=torch.long, device=t.device)
        for number, write in enumerate((
            lambda o, z: o.mH.copy_(z), lambda o, z: o.conj().__setitem__(slice(1, None), z[1:]), lambda o, z: o.conj().fill_(2 + 1j),
            lambda o, z: o.conj().zero_(), lambda o, z: o.conj().mul_(2j), lambda o, z: o.conj().add_(z), lambda o, z: o.conj().copy_(z.conj()),
            lambda o, z: o.conj().copy_(z.real), lambda o, z: o.conj()[:, 1].copy_(z[0]), lambda o, z: o.conj().masked_fill_(diagonal(o), 3j),
            lambda o, z: o.conj().masked_scatter_(diagonal(o), z), lambda o, z: o.conj().scatter_(0, row(o), z),
            lambda o, z: o.conj().index_put_((diagonal(o),), z[0]), lambda o, z: o.conj().index_copy_(0, row(o)[0, :1], z[:1]),
            lambda o, z: o.conj().copy_(z.cpu()), lambda o, z: o.real.copy_(z.cpu().conj().imag), lambda o, z: o.copy_(z.cpu().conj()),
            lambda o, z: o.conj().imag.copy_(z.real), lambda o, z: o.conj().imag.add_(z.real), lambda o, z: o.conj().imag[0].fill_(7),
            lambda o, z: torch._neg_view(o).copy_(z), lambda o, z: torch._neg_view(o.real).add_(z.real), lambda o, z: torch._neg_view(o).conj().copy_(z),
            lambda o, z: torch.add(z, 1j, out=o.conj()), lambda o, z: torch.exp(z, out=o.conj()), lambda o, z: torch.mm(z, z, out=o.mH),
            lambda o, z: torch.where(z.real > 2, z, -z, out=o.conj()), lambda o, z: torch.cat([z[:1], z[1:]], out=o.conj()),
            lambda o, z: torch.special.erfinv(z.real / 10, out=o.conj().imag),
            lambda o, z: o.copy_(z.conj()), lambda o, z: o.real.copy_(z.conj().imag), lambda o, z: o.copy_(torch._neg_view(z)),
        )):
            with self.subTest(number=number):
                want, got = torch.ones(2, 2, dtype=torch.complex64), torch.ones(2, 2, dtype=torch.complex64, device=NPU)
                write(want, self.z), write(got, self.z.to(NPU))
                self.assert_same(got, want)

    def test_out_of_lazy_views(self):
        z = self.z.to(NPU)
        for view in (lambda t: t.conj(), lambda t: t.mH, lambda t: t.conj().imag, torch._neg_view, lambda t: torch._neg_view(t)[:, 1],
                     lambda t: torch._neg_view(t).conj()):
            for move in (lambda t: t.cpu(), lambda t: torch.empty(t.shape, dtype=t.dtype).copy_(t), lambda t: t.clone().cpu(),
                         lambda t: t.contiguous().cpu(), lambda t: t.resolve_conj().resolve_neg().cpu(), lambda t: (t + 0).cpu(),
                         lambda t: t.to(torch.complex128).cpu().to(t.dtype)):
                self.assertTrue(torch.equal(move(view(z)).resolve_conj().resolve_neg(), view(self.z).resolve_conj().resolve_neg()))
            self.assertEqual(view(z).tolist(), view(self.z).tolist())

    def test_a_conjugation_in_place(self):
        got, want = self.z.to(NPU), self.z.clone()
        got.conj_physical_(), want.conj_physical_()
        self.assert_same(got, want)
        self.assert_same(got.t()[1:].conj_physical_(), want.t()[1:].conj_physical_())

    def test_a_write_into_a_conjugated_view_has_a_derivative(self):
        gradients = []
        for device in ("cpu", NPU):
            leaf = self.z.detach().to(device).requires_grad_()
            other = torch.zeros(2, 2, dtype=torch.complex64, device=device)
            other.mH.copy_(leaf)
            (other * (1 + 2j)).abs().square().sum().backward()
            gradients.append(leaf.grad)
        self.assert_same(gradients[1], gradients[0])

    def test_between_devices(self):
        run = run_python("-c", BETWEEN, PORTACL_DEVICES="2")
        self.assertEqual(run.stdout, "ok\n", run.stderr)


if __name__ == "__main__":
    unittest.main()
