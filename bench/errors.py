#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the largest error of every operator beside PyTorch's, on the same random operands.

    bench/errors.py FILE.json [elements]

An error is in units in the last place of the exact result, which float64 gives; where terms cancel, of the largest of them.
PyTorch's form is the one a user writes. Needs torch, NumPy and build/toolkit, or the toolkit that PORTACL_TOOLKIT names.
"""
import json
import pathlib
import sys

import torch
from torch.nn import functional

from machine import machine_line

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import portacl  # noqa: E402

aten = torch.ops.aten
DTYPES = {"FLOAT": torch.float32, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16}
COLUMNS = 512


def logit(n, dtype):
    x = (torch.rand(n) * 0.98 + 0.01).to(dtype)
    exact = torch.logit(x.double())
    return portacl.run("aclnnLogit", input=x, eps=-1.0), torch.logit(x), exact, exact


def logit_grad(n, dtype):
    x, dy = (torch.rand(n) * 0.98 + 0.01).to(dtype), torch.randn(n).to(dtype)
    exact = dy.double() / (x.double() * (1 - x.double()))
    return portacl.run("aclnnLogitGrad", x=x, dy=dy, eps=-1.0), aten.logit_backward(dy, x, None), exact, exact


def swi_glu(n, dtype):
    x = torch.randn(2 * n).to(dtype)
    a, b = x.chunk(2)
    exact = functional.silu(a.double()) * b.double()
    return portacl.run("aclnnSwiGlu", x=x, dim=0), functional.silu(a) * b, exact, exact


def swi_glu_grad(n, dtype):
    x, grad = torch.randn(2 * n).to(dtype).requires_grad_(), torch.randn(n).to(dtype)
    a, b = x.chunk(2)
    theirs = torch.autograd.grad(functional.silu(a) * b, x, grad)[0]
    a, b, g = a.detach().double(), b.detach().double(), grad.double()
    q = torch.sigmoid(a)
    exact = torch.cat((g * b * q * (1 + a * (1 - q)), g * a * q))
    terms = torch.cat((g * b * q, g * a * q))    # outA passes through zero
    return portacl.run("aclnnSwiGluGrad", yGrad=grad, x=x.detach(), dim=0), theirs, exact, torch.maximum(exact.abs(), terms.abs())


def smooth_l1_loss(n, dtype):
    x, target = torch.randn(n).to(dtype), torch.randn(n).to(dtype)
    exact = functional.smooth_l1_loss(x.double(), target.double(), reduction="none")
    ours = portacl.run("aclnnSmoothL1Loss", self=x, target=target, reduction=0, beta=1.0)
    return ours, functional.smooth_l1_loss(x, target, reduction="none"), exact, exact


def smooth_l1_loss_backward(n, dtype):
    grad, x, target = (torch.randn(n).to(dtype) for _ in range(3))
    exact = grad.double() * (x.double() - target.double()).clamp(-1, 1)
    ours = portacl.run("aclnnSmoothL1LossBackward", gradOut=grad, self=x, target=target, reduction=0, beta=1.0)
    return ours, aten.smooth_l1_loss_backward(grad, x, target, 0, 1.0), exact, exact


def softmax(n, dtype):
    x = torch.randn(1, 1, n // COLUMNS, COLUMNS).to(dtype)
    mask = torch.rand(x.shape) < 0.5

    def formula(x):
        return torch.softmax((x * 0.5).masked_fill(mask, -10000), -1)
    exact = formula(x.double())
    return portacl.run("aclnnScaledMaskedSoftmax", x=x, mask=mask, scale=0.5, fixedTriuMask=False), formula(x), exact, exact


def softmax_backward(n, dtype):
    grad = torch.randn(1, 1, n // COLUMNS, COLUMNS).to(dtype)
    y = torch.softmax(torch.randn(grad.shape), -1).to(dtype)
    mask = torch.rand(grad.shape) < 0.5
    g, p = grad.double(), y.double()
    exact = ((g * p - (g * p).sum(-1, keepdim=True) * p) * 0.5).masked_fill(mask, 0)
    terms = 0.5 * p * (g.abs() + (g * p).abs().sum(-1, keepdim=True))
    theirs = (aten._softmax_backward_data(grad, y, -1, dtype) * 0.5).masked_fill(mask, 0)
    ours = portacl.run("aclnnScaledMaskedSoftmaxBackward", gradOutput=grad, y=y, mask=mask, scale=0.5, fixTriuMask=False)
    return ours, theirs, exact, terms


def batch(steps, samples, classes, labels):
    log_probs = functional.log_softmax(torch.randn(steps, samples, classes), -1)
    return log_probs, torch.randint(1, classes, (samples, labels)), [steps] * samples, [labels] * samples


def ctc_loss(n, dtype):
    log_probs, targets, *lengths = batch(800, 16, 64, 100)
    exact = torch._ctc_loss(log_probs.double(), targets, *lengths, 0, False)[0]
    ours = portacl.run("aclnnCtcLoss", logProbs=log_probs, targets=targets, inputLengths=lengths[0], targetLengths=lengths[1],
                       blank=0, zeroInfinity=False)
    return ours.negLogLikelihoodOut, torch._ctc_loss(log_probs, targets, *lengths, 0, False)[0], exact, exact


def ctc_loss_backward(n, dtype):
    log_probs, targets, *lengths = batch(800, 16, 64, 100)
    ours = portacl.run("aclnnCtcLoss", logProbs=log_probs, targets=targets, inputLengths=lengths[0], targetLengths=lengths[1],
                       blank=0, zeroInfinity=False)
    ones = torch.ones(16)
    ours = portacl.run("aclnnCtcLossBackward", gradOut=ones, logProbs=log_probs, targets=targets, inputLengths=lengths[0],
                       targetLengths=lengths[1], negLogLikelihood=ours.negLogLikelihoodOut, logAlpha=ours.logAlphaOut, blank=0,
                       zeroInfinity=False)

    def gradient(log_probs, ones):
        loss, alpha = torch._ctc_loss(log_probs, targets, *lengths, 0, False)
        return aten._ctc_loss_backward(ones, log_probs, targets, *lengths, loss, alpha, 0, False)
    exact = gradient(log_probs.double(), ones.double())
    p = log_probs.double().exp()
    return ours, gradient(log_probs, ones), exact, torch.maximum(p, p - exact)    # the posterior is p - exact


OPERATORS = {
    "aclnnLogit": logit, "aclnnLogitGrad": logit_grad, "aclnnSwiGlu": swi_glu, "aclnnSwiGluGrad": swi_glu_grad,
    "aclnnSmoothL1Loss": smooth_l1_loss, "aclnnSmoothL1LossBackward": smooth_l1_loss_backward,
    "aclnnScaledMaskedSoftmax": softmax, "aclnnScaledMaskedSoftmaxBackward": softmax_backward,
    "aclnnCtcLoss": ctc_loss, "aclnnCtcLossBackward": ctc_loss_backward,
}


def largest_error(got, exact, scale, dtype):
    """In units in the last place that numbers as large as `scale` have."""
    info = torch.finfo(dtype)
    unit = torch.exp2(torch.floor(torch.log2(scale.abs().clamp(min=info.smallest_normal)))) * info.eps
    return float(f"{((got.double() - exact).abs() / unit).max().item():.4g}")


def main(path, elements=1 << 22):
    torch.manual_seed(1)
    rows = []
    for name, measure in OPERATORS.items():
        for dtype, kind in DTYPES.items():
            if "Ctc" in name and dtype != "FLOAT":    # PyTorch has no other
                continue
            ours, theirs, exact, scale = measure(int(elements), kind)
            rows.append({"operator": name, "dtype": dtype, "Portacl": largest_error(ours, exact, scale, kind),
                         "PyTorch": largest_error(theirs, exact, scale, kind)})
            print(f"{name:34} {dtype:9} {rows[-1]['Portacl']:12.4g} {rows[-1]['PyTorch']:12.4g}")
    result = {"machine": machine_line(), "pytorch": torch.__version__, "elements": int(elements), "rows": rows}
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
