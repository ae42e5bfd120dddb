# SPDX-License-Identifier: Apache-2.0
"""The additional time of a call on "npu" over the CPU, for every operator of PyTorch's database: python op_db_overhead.py [name]...

Measures processor time, alternating, of the forward of the first float32 sample that both devices accept; prints a histogram, and the
operators beyond its range. As samples are small, the result is the overhead of a call, except for operators that read a result (a count, an
index) from the device.
"""

import itertools
import statistics
import sys
import time
import warnings

import op_db_compare

import torch

from portacl.fallback import native

TURNS, CALLS = 9, 20
EDGES = (0, 1, 2, 3, 5, 10, 20, 50, 100)    # microseconds


def microseconds(function, arguments, keywords):
    start = time.process_time_ns()
    for _ in range(CALLS):
        function(*arguments, **keywords)
    return (time.process_time_ns() - start) / CALLS / 1e3


def measure(operator):
    """(additional microseconds on npu, microseconds on the CPU, whether it ran natively), or None if no sample works."""
    for sample in itertools.islice(operator.sample_inputs(op_db_compare.CPU, torch.float32), 5):
        arguments = sample.input, *sample.args
        npu_arguments, npu_keywords = op_db_compare.moved((arguments, sample.kwargs))
        native.forget()
        try:
            for _ in range(3):
                operator.op(*arguments, **sample.kwargs), operator.op(*npu_arguments, **npu_keywords)
        except Exception:  # a known limit, or a sample that PyTorch refuses
            continue
        ran, missing = native.outcomes()
        turns = [(microseconds(operator.op, arguments, sample.kwargs), microseconds(operator.op, npu_arguments, npu_keywords))
                 for _ in range(TURNS)]
        return statistics.median(npu - cpu for cpu, npu in turns), statistics.median(cpu for cpu, _ in turns), bool(ran) and not missing
    return None


def main(names):
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    known = op_db_compare.operators()
    found = {name: measure(known[name]) for name in names or known}
    found = {name: outcome for name, outcome in found.items() if outcome}
    for name in names:
        print(f"{name}: {found[name][0]:.1f} us more than the CPU's {found[name][1]:.1f} us, {'native' if found[name][2] else 'on the CPU'}")
    print(f"{len(found)} operators; median {statistics.median(more for more, *_ in found.values()):.1f} us more\n")
    print("| more than the CPU's call | native | on the CPU |\n|---|---|---|")
    for low, high in zip((-float("inf"), *EDGES), (*EDGES, float("inf"))):
        counts = [sum(low <= more < high and own == wanted for more, _, own in found.values()) for wanted in (True, False)]
        bounds = f"less than {high} us" if low < 0 else f"{low} us and more" if high == float("inf") else f"{low} to {high} us"
        print(f"| {bounds} | {counts[0]} | {counts[1]} |")
    slow = sorted(((more, name) for name, (more, *_) in found.items() if more >= EDGES[-1]), reverse=True)
    print("\nbeyond: " + ", ".join(f"{name} {more:.0f}" for more, name in slow))


if __name__ == "__main__":
    main(sys.argv[1:])
