# SPDX-License-Identifier: Apache-2.0
"""python -m portacl --check: the versions found, one operator of each pair, forward and backward, compared with the CPU, and two ranks."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from . import pytorch

_TOLERANCE = 1e-5  # float32, different orders of summation
_RANKS_LIMIT = 120  # seconds


def _pairs():
    """(name, function of npu tensors, the same in plain PyTorch, inputs; the first one needs a gradient)."""
    import torch
    import torch_npu
    from torch.nn import functional

    torch.manual_seed(0)
    scores = torch.randn(2, 3, 5, 7)
    mask = torch.rand(2, 1, 5, 7) < 0.3
    steps = torch.randn(12, 2, 6).log_softmax(-1)
    labels, lengths, label_lengths = torch.randint(1, 6, (2, 4)), torch.tensor([12, 11]), torch.tensor([4, 3])

    def swiglu(x):
        left, right = x.chunk(2, -1)
        return functional.silu(left) * right

    def ctc(log_probs, targets):
        return functional.ctc_loss(log_probs, targets, lengths, label_lengths, reduction="none")

    yield "Logit", torch.logit, torch.logit, (torch.rand(64) * 0.8 + 0.1,)
    yield "SmoothL1Loss", functional.smooth_l1_loss, functional.smooth_l1_loss, (torch.randn(8, 9), torch.randn(8, 9))
    yield "SwiGlu", torch_npu.npu_swiglu, swiglu, (torch.randn(5, 16),)
    yield ("ScaledMaskedSoftmax", lambda x, m: torch_npu.npu_scaled_masked_softmax(x, m, 0.5, False),
           lambda x, m: (x * 0.5).masked_fill(m, -10000.0).softmax(-1), (scores, mask))
    yield "CtcLoss", ctc, ctc, (steps, labels)


def _relative_differences(function, expected, inputs):
    """Differences of result and gradient between npu and CPU, in units of the largest value or 1. Calls only the pair on the npu. The CPU computes in
    float64, so that differences come from the npu."""
    import torch

    results = []
    for device, call in (("npu", function), ("cpu", expected)):
        first, *rest = [value.detach().clone().to(device, torch.float64 if device == "cpu" and value.is_floating_point() else value.dtype)
                        for value in inputs]
        first.requires_grad_()
        result = call(first, *rest)
        seed = torch.linspace(-1, 1, result.numel()).reshape(result.shape)
        gradient, = torch.autograd.grad(result, first, seed.to(result))
        results.append((result.detach().cpu(), gradient.cpu()))
    return [((got - want).abs().max() / want.abs().max().clamp(min=1)).item() for got, want in zip(*results)]


def _problem_of_two_ranks():
    """Two processes add their tensors; returns the problem, or an empty text. If one fails, the other is ended, as it may wait for it."""
    with tempfile.TemporaryDirectory() as folder:
        errors = [pathlib.Path(folder, f"errors{rank}") for rank in range(2)]
        ranks = []
        for rank, path in enumerate(errors):
            command = [sys.executable, "-m", "portacl", "-m", "portacl.rank_check", os.path.join(folder, "meeting"), str(rank)]
            with path.open("w", encoding="utf-8") as file:
                ranks.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file))
        try:
            end = time.monotonic() + _RANKS_LIMIT
            while time.monotonic() < end:
                codes = [rank.poll() for rank in ranks]
                for code, path in zip(codes, errors):
                    if code not in (None, 0):
                        return (path.read_text(encoding="utf-8").strip().splitlines() or [f"exit code {code}"])[-1]
                if codes == [0, 0]:
                    return None
                time.sleep(0.05)
            return f"they did not end within {_RANKS_LIMIT} s"
        finally:
            for rank in ranks:
                rank.kill()
                rank.wait()


def main():
    """Prints the findings; 0 if all is well, 1 if an operator or a rank fails or results differ. Raises SetupError before that."""
    pytorch.prepare()
    import torch

    from . import doctor, fallback

    torch.npu.init()
    doctor.report()
    print(f"device     npu:0 of {torch.npu.device_count()}, {torch.npu.get_device_name(0)}")
    counts = fallback.counts()
    print("operators  " + (", ".join(f"{count} {where}" for where, count in counts.items()) or "the toolkit's only (PORTACL_FALLBACK=0)"))
    failed = False
    for name, function, expected, inputs in _pairs():
        try:
            forward, backward = _relative_differences(function, expected, inputs)
            good = max(forward, backward) <= _TOLERANCE
            outcome = f"{'ok' if good else 'WRONG'}, largest difference to the CPU {forward:.0e}, of the gradient {backward:.0e}"
        except RuntimeError as error:
            good, outcome = False, f"FAILED: {str(error).splitlines()[0]}"
        failed |= not good
        print(f"{name:<20} {outcome}")
    problem = _problem_of_two_ranks()
    failed |= problem is not None
    print(f"{'two ranks':<20} {f'FAILED: {problem}' if problem else 'ok, processes that add with the backend hccl'}")
    return 1 if failed else 0
