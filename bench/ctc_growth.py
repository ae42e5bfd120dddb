#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of the CTC pair grows with each of its sizes, the others fixed: a table, and with matplotlib a picture.

    cmake --build --preset release --target portacl_bench && bench/ctc_growth.py [--picture docs/ctc_growth.png]

The gradient gets the alphas and losses of the loss. PORTACL_NUM_THREADS sets the threads, 1 by default.
"""
import argparse
import importlib.util
import math
import os
import pathlib
import random
import statistics

from machine import commit, machine_line
from native import Library, PortaclContestant, Tensor
from operator_table import all_operators
from operators.ctc_loss import backward_shapes, batch

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"steps": 1600, "samples": 4, "classes": 64, "labels": 40}
AXES = {"steps": (50, 100, 200, 400, 800, 1600, 3200, 6400, 12800), "samples": (1, 2, 4, 8, 16, 32, 64),
        "classes": (20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000),
        "labels": (10, 25, 50, 100, 200, 400, 800)}
FIXED = {"steps": {"labels": 20}, "classes": {"steps": 100}}    # so that every target fits, and memory
PAIR = ("aclnnCtcLoss", "aclnnCtcLossBackward")


def time_of(contestant, rounds):
    """Seconds of one call: the median over rounds of about 5 ms, after one call that warms up."""
    def run(calls):
        seconds = contestant.time(calls)
        if seconds < 0:
            raise RuntimeError("a call failed")
        return seconds

    run(1)
    calls = math.ceil(0.005 / max(run(1), 1e-7))
    return statistics.median(run(calls) / calls for _ in range(rounds))


def measure(library, operators, sizes, rounds):
    """Seconds of the loss and of its gradient."""
    shapes = batch(sizes["steps"], sizes["samples"], sizes["classes"], sizes["labels"])
    log_probs, targets, losses, alphas = (Tensor(library, "FLOAT", shape) for shape in shapes)
    grads, out = (Tensor(library, "FLOAT", backward_shapes(shapes)[i]) for i in (0, -1))
    log_probs.draw(operators[PAIR[0]].data[0].values[0], random.Random(0))
    operators[PAIR[0]].complete(library, [log_probs, targets])
    grads.draw(lambda *_: 1.0, random.Random(1))
    calls = [PortaclContestant(library, operators[PAIR[0]], [log_probs, targets, losses, alphas], (0.0,)),
             PortaclContestant(library, operators[PAIR[1]], [grads, log_probs, targets, losses, alphas, out], (0.0,))]
    times = [time_of(call, rounds) for call in calls]
    for item in (*calls, log_probs, targets, losses, alphas, grads, out):
        item.release()
    return times


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
    parser.add_argument("--library", type=pathlib.Path, default=HERE.parent / "build/release/bench/libportacl_bench.so")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--most", type=int, default=10**9, help="the largest size, if not all")
    parser.add_argument("--picture", type=pathlib.Path, help="the file of the picture")
    arguments = parser.parse_args()
    os.environ.setdefault("PORTACL_NUM_THREADS", "1")
    library = Library(arguments.library.resolve())
    operators = {operator.api: operator for operator in all_operators()}
    print(f"{machine_line()}; {commit(HERE)}; {os.environ['PORTACL_NUM_THREADS']} threads")
    rows = []
    for axis, values in AXES.items():
        for value in (value for value in values if value <= arguments.most):
            sizes = {**SIZES, **FIXED.get(axis, {}), axis: value}
            rows.append((axis, sizes, measure(library, operators, sizes, arguments.rounds)))
            loss, gradient = (f"{time / value * 1e6:9.3f} us" for time in rows[-1][2])
            print(f"{axis:8} {value:6}: for each {loss} (loss) {gradient} (gradient)", flush=True)
    if arguments.picture:
        print(plot(rows, arguments.picture))


if __name__ == "__main__":
    main()
