#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains by DDP and by FSDP2 on 1, 2 and 4 ranks, and compares the losses step by step.

    python compare.py --picture losses.png

The exit status is 1 if any two trainings differ by more than 0.0001 of the loss in the first 100 steps.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS = (1, 2, 4)
AGREEMENT = 1e-4
COMPARED_STEPS = 100


def losses_of(way, ranks, epochs, folder):
    path = pathlib.Path(folder, f"{way}{ranks}.json")
    script = str(pathlib.Path(__file__).with_name("train.py"))
    # torchrun starts the ranks. In the source tree no hook prepares them, so both are started through the package.
    portacl = ["-m", "portacl"]
    launcher = [sys.executable, *portacl, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", *portacl, script]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PORTACL_DEVICES": str(ranks)}
    subprocess.run([*launcher, "--way", way, "--epochs", str(epochs), "--losses", str(path)], check=True, env=environment)
    return json.loads(path.read_text(encoding="ascii"))


def draw(path, curves):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (losses, apart) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    first = next(iter(curves.values()))
    styles = [{"linewidth": width, "linestyle": line} for line in ("-", "--") for width in (5, 3, 1.2)]
    for style, (name, curve) in zip(styles, curves.items()):
        losses.semilogy(range(1, len(curve) + 1), curve, label=name, alpha=0.7, **style)
        if curve is not first:
            distances = [(step, abs(a - b) / a) for step, (a, b) in enumerate(zip(first, curve), 1) if a != b]
            apart.semilogy(*zip(*distances or [(1, 0)]), ".", label=name, markersize=4)
    losses.set(xlabel="step", ylabel="loss", title="Six trainings, one curve")
    apart.set(xlabel="step", ylabel="of the loss", title="How far they are from DDP on one rank, where not the same")
    for axes in (losses, apart):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--ranks", type=int, nargs="+", default=RANKS)
    parser.add_argument("--picture", type=pathlib.Path, help="a PNG with the curves; needs matplotlib")
    parser.add_argument("--curves", type=pathlib.Path, help="a file for all losses as JSON, which is read instead of training if it is there")
    arguments = parser.parse_args()

    if arguments.curves and arguments.curves.exists():
        curves = json.loads(arguments.curves.read_text(encoding="ascii"))
    else:
        with tempfile.TemporaryDirectory() as folder:
            curves = {f"{way}, {ranks} rank{'s' if ranks > 1 else ''}": losses_of(way, ranks, arguments.epochs, folder)
                      for way in ("ddp", "fsdp2") for ranks in arguments.ranks}
        if arguments.curves:
            arguments.curves.write_text(json.dumps(curves), encoding="ascii")
    first = next(iter(curves.values()))
    worst = max(abs(a - b) / a for curve in curves.values() for a, b in list(zip(first, curve))[:COMPARED_STEPS])
    print(f"the losses of the first {min(COMPARED_STEPS, len(first))} steps differ by at most {worst:.2g} of their value; {AGREEMENT:g} is allowed")
    if arguments.picture:
        draw(arguments.picture, curves)
    return 0 if worst <= AGREEMENT else 1


if __name__ == "__main__":
    sys.exit(main())
