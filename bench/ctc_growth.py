#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of the CTC pair grows with each of its sizes, the others fixed: a table and a picture.

    bench/ctc_growth.py [--threads N] [--picture docs/ctc_growth.svg]

The gradient gets the alphas and losses of the loss. Needs NumPy and build/toolkit, or the toolkit that PORTACL_TOOLKIT names.
"""
import argparse
import math
import os
import pathlib
import statistics
import sys

import numpy

from chart import text
from machine import commit, machine_line
from timing import seconds

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import portacl    # noqa: E402

SIZES = {"steps": 1600, "samples": 4, "classes": 64, "labels": 40}
AXES = {"steps": (50, 100, 200, 400, 800, 1600, 3200, 6400, 12800), "samples": (1, 2, 4, 8, 16, 32, 64),
        "classes": (20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000),
        "labels": (10, 25, 50, 100, 200, 400, 800)}
FIXED = {"steps": {"labels": 20}, "classes": {"steps": 100}}    # so that every target fits its steps, and all in memory
PAIR = ("aclnnCtcLoss", "aclnnCtcLossBackward")
DRAWN = ("#0969da", "#cf222e")
LEFT, TOP, BOTTOM, PANEL, GAP = 90, 60, 320, 220, 20


def time_of(call, rounds):
    """Seconds of one call: the median over rounds of about 5 ms, after one warm-up call."""
    call(1)
    times = math.ceil(0.005 / max(seconds(call, 1), 1e-7))
    return statistics.median(seconds(call, times) for _ in range(rounds))


def measure(sizes, rounds):
    """Seconds of the loss and of its gradient."""
    steps, samples, classes, labels = sizes.values()
    random = numpy.random.default_rng(0)
    # Not normalised, which does not affect the time.
    log_probs = random.uniform(-5, -1, (steps, samples, classes)).astype(numpy.float32)
    targets = random.integers(1, classes, (samples, labels))
    lengths = [steps] * samples, [labels] * samples
    loss = portacl.prepare(PAIR[0], log_probs, targets, *lengths, 0, False)
    loss(1)
    gradient = portacl.prepare(PAIR[1], numpy.ones(samples, numpy.float32), log_probs, targets, *lengths, *loss.results, 0, False)
    return time_of(loss, rounds), time_of(gradient, rounds)


def position(value, low, high, begin, end):
    """The position of `value` on a logarithmic axis."""
    return begin + (end - begin) * math.log(value / low) / math.log(high / low)


def picture(rows):
    """The SVG text: a panel for each size with the time over the size, both axes logarithmic."""
    milliseconds = [time * 1e3 for *_, times in rows for time in times]
    low, high = (10 ** step(math.log10(limit)) for step, limit in ((math.floor, min(milliseconds)), (math.ceil, max(milliseconds))))
    width = LEFT + len(AXES) * (PANEL + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {BOTTOM + 40}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{BOTTOM + 40}" fill="white"/>', text(LEFT - 8, TOP - 8, "ms of a call", "end")]
    parts += [f'<rect x="{LEFT + 160 * i}" y="10" width="10" height="10" fill="{colour}"/>' + text(LEFT + 16 + 160 * i, 19, api)
              for i, (api, colour) in enumerate(zip(PAIR, DRAWN))]
    parts.append(text(LEFT + 336, 19, "dotted: proportional to the size"))
    for number, (axis, values) in enumerate(AXES.items()):
        left = LEFT + number * (PANEL + GAP)
        points = [(sizes[axis], [time * 1e3 for time in times]) for name, sizes, times in rows if name == axis]
        if not points:
            continue

        def at(size, time):
            return f"{position(size, values[0], values[-1], left, left + PANEL):.1f},{position(time, low, high, BOTTOM, TOP):.1f}"

        for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
            y = position(10.0 ** power, low, high, BOTTOM, TOP)
            parts.append(f'<line x1="{left}" x2="{left + PANEL}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d8dee4"/>')
            if number == 0:
                parts.append(text(left - 6, y + 4, f"{10.0 ** power:g}", "end"))
        fixed = {**SIZES, **FIXED.get(axis, {})}
        title = ", ".join(f"{n} {name}" for name, n in fixed.items() if name != axis)
        parts += [text(left + PANEL / 2, TOP - 8, title, "middle", 'font-size="10"'), text(left, BOTTOM + 16, values[0]), text(left + PANEL, BOTTOM + 16, values[-1], "end"),
                  text(left + PANEL / 2, BOTTOM + 32, axis, "middle")]
        for i, colour in enumerate(DRAWN):
            line = [at(size, times[i]) for size, times in points]
            parts.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}"/>')
            parts += ['<circle cx="{}" cy="{}" r="3" fill="{}"/>'.format(*point.split(","), colour) for point in line]
        size, time = points[-1][0], max(points[-1][1])
        begin = max(points[0][0], size * low / time)    # where the line leaves the panel
        parts.append(f'<polyline points="{at(begin, time * begin / size)} {at(size, time)}" stroke="#57606a" stroke-dasharray="2 3"/>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, default=10**9, help="the largest size, if not all")
    parser.add_argument("--picture", type=pathlib.Path, help="an SVG file to write")
    arguments = parser.parse_args()
    os.environ["PORTACL_NUM_THREADS"] = str(arguments.threads)    # the library reads it when the first call loads it
    print(f"{machine_line()}; {commit(HERE)}; threads: {arguments.threads}")
    rows = []
    for axis, values in AXES.items():
        for value in (value for value in values if value <= arguments.most):
            sizes = {**SIZES, **FIXED.get(axis, {}), axis: value}
            rows.append((axis, sizes, measure(sizes, arguments.rounds)))
            loss, gradient = (f"{time / value * 1e6:9.3f} us" for time in rows[-1][2])
            print(f"{axis:8} {value:6}: for each {loss} (loss) {gradient} (gradient)", flush=True)
    if arguments.picture:
        arguments.picture.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
