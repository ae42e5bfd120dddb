#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of the CTC pair grows with each of its sizes, the others fixed: a table, and with matplotlib a picture.

    bench/ctc_growth.py [--threads N] [--picture docs/ctc_growth.png]

The gradient gets the alphas and losses of the loss. Needs NumPy and build/toolkit, or the toolkit that PORTACL_TOOLKIT names.
"""
import argparse
import importlib.util
import math
import os
import pathlib
import statistics
import sys

import numpy

from machine import commit, machine_line
from timing import seconds

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import portacl    # noqa: E402

SIZES = {"steps": 1600, "samples": 4, "classes": 64, "labels": 40}
AXES = {"steps": (50, 100, 200, 400, 800, 1600, 3200, 6400, 12800), "samples": (1, 2, 4, 8, 16, 32, 64),
        "classes": (20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000),
        "labels": (10, 25, 50, 100, 200, 400, 800)}
FIXED = {"steps": {"labels": 20}, "classes": {"steps": 100}}    # so that every target fits, and memory
PAIR = ("aclnnCtcLoss", "aclnnCtcLossBackward")


def time_of(call, rounds):
    """Seconds of one call: the median over rounds of about 5 ms, after one call that warms up."""
    call(1)
    times = math.ceil(0.005 / max(seconds(call, 1), 1e-7))
    return statistics.median(seconds(call, times) for _ in range(rounds))


def measure(sizes, rounds):
    """Seconds of the loss and of its gradient."""
    steps, samples, classes, labels = sizes.values()
    random = numpy.random.default_rng(0)
    # No distributions, which changes no time.
    log_probs = random.uniform(-5, -1, (steps, samples, classes)).astype(numpy.float32)
    targets = random.integers(1, classes, (samples, labels))
    lengths = [steps] * samples, [labels] * samples
    loss = portacl.prepare(PAIR[0], log_probs, targets, *lengths, 0, False)
    loss(1)
    gradient = portacl.prepare(PAIR[1], numpy.ones(samples, numpy.float32), log_probs, targets, *lengths, *loss.results, 0, False)
    return time_of(loss, rounds), time_of(gradient, rounds)


def plot(rows, path):
    if importlib.util.find_spec("matplotlib") is None:
        return "no picture: matplotlib is not installed"
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, panels = pyplot.subplots(1, len(AXES), figsize=(4 * len(AXES), 4), layout="constrained", sharey=True)
    for axis, panel in zip(AXES, panels):
        points = [(sizes[axis], times) for name, sizes, times in rows if name == axis]
        if not points:
            continue
        for i, (api, style) in enumerate(zip(PAIR, ("-o", "-s"))):
            panel.loglog([size for size, _ in points], [times[i] * 1e3 for _, times in points], style, label=api)
        (first, _), (last, times) = points[0], points[-1]
        panel.loglog((first, last), (max(times) * 1e3 * first / last, max(times) * 1e3), ":", color="grey",
                     label="proportional")
        fixed = {**SIZES, **FIXED.get(axis, {})}
        panel.set(xlabel=axis, title=", ".join(f"{n} {name}" for name, n in fixed.items() if name != axis))
        panel.title.set_size(8)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("ms of a call")
    panels[0].legend(fontsize=8)
    figure.savefig(path, dpi=70)
    return f"{path}: the picture"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, default=10**9, help="the largest size, if not all")
    parser.add_argument("--picture", type=pathlib.Path, help="the file of the picture")
    arguments = parser.parse_args()
    os.environ["PORTACL_NUM_THREADS"] = str(arguments.threads)    # the library reads it when it is loaded, by the first call
    print(f"{machine_line()}; {commit(HERE)}; threads: {arguments.threads}")
    rows = []
    for axis, values in AXES.items():
        for value in (value for value in values if value <= arguments.most):
            sizes = {**SIZES, **FIXED.get(axis, {}), axis: value}
            rows.append((axis, sizes, measure(sizes, arguments.rounds)))
            loss, gradient = (f"{time / value * 1e6:9.3f} us" for time in rows[-1][2])
            print(f"{axis:8} {value:6}: for each {loss} (loss) {gradient} (gradient)", flush=True)
    if arguments.picture:
        print(plot(rows, arguments.picture))


if __name__ == "__main__":
    main()
