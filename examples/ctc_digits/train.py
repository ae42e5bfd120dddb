#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a network that reads lines of handwritten digits: on the CPU, on the NPU, or on both to compare them.

    python examples/ctc_digits/train.py --device cpu
    python -m portacl examples/ctc_digits/train.py --device npu
    python -m portacl examples/ctc_digits/train.py --device both

With `both` the losses of the first 200 steps must agree within 0.001 of their value, else the exit status is 1. So it is when a whole training ends
with more than 5 % of the characters wrong.
"""

import argparse
import pathlib
import sys
import time

import torch

from lines import Lines, character_error_rate, decode
from network import Network, Operators, losses

LINES_PER_BATCH = 32
STEPS_PER_EPOCH = 100
WHOLE_TRAINING = 24 * STEPS_PER_EPOCH
TEST_LINES = 256
COMPARED_STEPS = 200
AGREEMENT = 1e-3
MOST_ERRORS = 0.05


def read(network, batch, device):
    """The digits that the network reads in each line."""
    with torch.no_grad():
        scores, _, _ = network(torch.from_numpy(batch.images).to(device), torch.from_numpy(batch.is_empty).to(device))
    return [decode(row[:n]) for row, n in zip(scores.cpu().numpy(), batch.step_counts)]


def train(device, steps, seed):
    """The loss of each step, and the digits that the trained network reads in the test lines. All random values are generated on the CPU from the seed."""
    torch.manual_seed(seed)
    network = Network(Operators(device)).to(device)
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=0.05, foreach=False)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=max(steps, 2), pct_start=0.1)
    training, test = Lines("training", seed), test_lines(seed)
    curve = []
    start = time.monotonic()
    for step in range(1, steps + 1):
        ctc, place, share = losses(network, training.batch(LINES_PER_BATCH, is_varied=True), device)
        loss = ctc + place + 0.1 * share
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        curve.append(loss.item())
        if step % STEPS_PER_EPOCH == 0 or step == steps:
            recent = curve[(step - 1) // STEPS_PER_EPOCH * STEPS_PER_EPOCH :]
            readings = read(network, test, device)
            print(f"{device}  epoch {-(-step // STEPS_PER_EPOCH):2}  loss {sum(recent) / len(recent):7.4f}"
                  f" (last: CTC {ctc.item():.4f}, places {place.item():.4f}, ink {share.item():.4f})"
                  f"  character error rate {character_error_rate(readings, test):7.2%}  {time.monotonic() - start:6.1f} s", flush=True)
    return curve, readings


def test_lines(seed):
    return Lines("test", seed + 1).batch(TEST_LINES)


def agree(curves):
    """Compares the beginnings of the two curves, and prints their largest difference."""
    pairs = list(zip(*curves.values()))[:COMPARED_STEPS]
    apart = [abs(a - b) / abs(a) for a, b in pairs]
    worst = max(range(len(apart)), key=apart.__getitem__)
    print(f"{' and '.join(curves)}: the losses of the first {len(apart)} steps differ by at most {apart[worst]:.2g} of their value,"
          f" at step {worst + 1}; {AGREEMENT:g} is allowed")
    return apart[worst] <= AGREEMENT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "npu", "both"), default="cpu")
    parser.add_argument("--steps", type=int, default=WHOLE_TRAINING, help="default: %(default)s; fewer are no whole training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=pathlib.Path, help="a PNG with test lines, how they were read, and the curves; needs matplotlib")
    arguments = parser.parse_args()

    test, curves, is_good = test_lines(arguments.seed), {}, True
    for device in ("cpu", "npu") if arguments.device == "both" else (arguments.device,):
        curves[device], readings = train(device, arguments.steps, arguments.seed)
        if arguments.steps >= WHOLE_TRAINING:
            is_good = is_good and character_error_rate(readings, test) <= MOST_ERRORS
    if len(curves) == 2:
        is_good = agree(curves) and is_good
    if arguments.picture:
        from picture import draw

        draw(arguments.picture, test, readings, curves)
        print(arguments.picture)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
