#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of aclnnLogitGrad, FLOAT, on one, two and all cores, and in brackets what the model of docs/many_cores.py expects.

    bench/thread_counts.py [--threads 1,2,4] [--into docs/many_cores.md]...

The model takes the rates of one core from the times of one thread. --into writes the table between the marks of a page, too. Needs NumPy and
build/toolkit, or the toolkit that PORTACL_TOOLKIT names.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

from machine import commit, machine_line
from report import seconds, table
from timing import sample

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "docs")]
import many_cores    # noqa: E402

ARRAYS = 3    # two that are read, one that is written
ROUNDS = 15
REST = 0.001    # seconds, after which helpers sleep
BEGIN, END = "<!-- threads: begin (written by bench/thread_counts.py) -->", "<!-- threads: end -->"


def times_of(size):
    """Seconds of a call that follows another one, and of a call after a rest: medians."""
    import numpy
    import portacl

    elements = int(size / ARRAYS / 4)
    values = numpy.full(elements, 0.25, numpy.float32)
    call = portacl.prepare("aclnnLogitGrad", values, values + 0.25, -1.0, out=numpy.empty_like(values))
    call(10)
    times = max(1, int(0.005 / sample(call, 3, 1, time.perf_counter)))
    awake = statistics.median(sample(call, times, 1, time.perf_counter) for _ in range(ROUNDS))
    rested = []
    for _ in range(4 * ROUNDS):
        time.sleep(REST)
        rested.append(sample(call, 1, 1, time.perf_counter))
    return awake, statistics.median(rested)


def measured(threads):
    """[(awake, asleep) of each task] with that many threads."""
    command = [sys.executable, __file__, "--child"]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "PORTACL_NUM_THREADS": str(threads)})
    return json.loads(run.stdout)


def rates(of_one):
    """Bytes per ns of one core, by the size of its part: that of the task nearest to it."""
    def rate(size, cores):
        nearest = min(range(len(many_cores.TASKS)), key=lambda i: abs(math.log(many_cores.TASKS[i] * cores / size)))
        return many_cores.TASKS[nearest] / (of_one[nearest][0] * 1e9)
    return rate


def rows(found):
    """A row for each task: bytes, whether helpers are awake, and a cell for each number of threads."""
    rate = rates(found[1])
    for i, size in enumerate(many_cores.TASKS):
        for asleep in (False, True):
            cells = [f"{seconds(of[i][asleep])} ({seconds(many_cores.play(size, threads, asleep, rate)[0] / 1e9)})" for threads, of in found.items()]
            yield [f"{size / 1e6:.1f} MB", "asleep" if asleep else "awake", *cells]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=lambda text: [int(count) for count in text.split(",")], default=[1, 2, os.cpu_count()])
    parser.add_argument("--into", type=pathlib.Path, action="append", default=[], help="a page whose table is replaced")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps([times_of(size) for size in many_cores.TASKS]))
        return
    found = {threads: measured(threads) for threads in sorted({1, *arguments.threads})}
    heads = [f"{threads} thread{'s' * (threads > 1)}" for threads in found]
    text = f"{machine_line().split(', Linux')[0]}; {commit(HERE)}; {datetime.date.today()}\n\n" + table(["memory moved", "helpers", *heads], rows(found))
    print(text)
    for page in arguments.into:
        head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        page.write_text(f"{head}{BEGIN}\n{text}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
