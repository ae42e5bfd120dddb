#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures operators beside PyTorch's calls, on the same memory, in turns: errors, and times of one element, 2^14, 2^18 and 2^24, or of one shape.

    bench/run            writes build/bench/results.json, row by row, and results.md; 20 to 30 minutes
    bench/run --resume   goes on with a run that was stopped: measures the rows that its file lacks
    bench/run --quick    to look, not to publish: 5 minutes
    bench/run --every 4  a sample: each fourth row
    bench/run --operators aclnnExp,aclnnCat --dtypes FLOAT16
    bench/run --operators aclnnAdd --threads 2    both sides with two threads
    bench/run --ceiling    rows that memory should bind, of four dtypes, also beside what moves as many bytes

bench/run builds what this needs, and passes options on. Needs torch, NumPy and build/toolkit, or the toolkit that PORTACL_TOOLKIT names.
Exit status 1 when a call of ours failed or gave another truth value.
"""
import argparse
import ctypes
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import ceiling    # noqa: E402
import chart    # noqa: E402
from machine import commit, load, machine_line    # noqa: E402
from report import markdown, publish, shown, summary    # noqa: E402
from session import Session    # noqa: E402
from timing import FULL, QUICK, measure, paired, spread    # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", dest="plan", action="store_const", const=QUICK, default=FULL, help="fewer and shorter samples, nothing repeated")
    parser.add_argument("--operators", type=lambda text: text.split(","), default=[], help="for example aclnnExp,aclnnCat; default: all")
    parser.add_argument("--but", type=lambda text: text.split(","), default=[], help="operators to leave out")
    parser.add_argument("--dtypes", type=lambda text: text.split(","), help="default FLOAT,BFLOAT16; beside the ceiling all four that float")
    parser.add_argument("--sizes", type=lambda text: text.split(","), default=[], help="of one,L2,L3,memory,given; default: all")
    parser.add_argument("--threads", type=int, default=1, help="of either side, default 1")
    parser.add_argument("--avx2", action="store_true", help="either side without the AVX-512 of the processor")
    parser.add_argument("--without-errors", action="store_true", help="times only")
    parser.add_argument("--cpu-time", action="store_true", help="the time of the processor, not that of the clock: beside other programs")
    parser.add_argument("--ceiling", action="store_true", help="beside the ceiling of memory, too")
    parser.add_argument("--resume", action="store_true", help="keep the rows that were measured, of the same commit on the same machine")
    parser.add_argument("--repeat-disturbed", action="store_true", help="--resume, and measure disturbed rows again; the quieter result counts")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th row of the table, all its dtypes")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parent / "build/bench", help="folder of the results")
    parser.add_argument("--into", type=pathlib.Path, help="a folder that keeps this run: docs/benchmarks")
    arguments = parser.parse_args()
    arguments.dtypes = arguments.dtypes or ["FLOAT", "BFLOAT16", *(["FLOAT16", "DOUBLE"] if arguments.ceiling else [])]
    if arguments.ceiling and not arguments.operators:
        arguments.operators = ceiling.OPERATORS
    return arguments


# What holds each side to AVX2.
AVX2 = {"PORTACL_TARGET": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}


def settle(threads, avx2):
    """Restarts the program with the same number of threads and instructions for both sides, and with an allocator that reuses the memory of
    PyTorch's results, as in the loop of a program."""
    settings = {"PORTACL_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads), "PORTACL_SOC": "Ascend910B1",
                "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",    # PyTorch on the processor, without a plug-in
                "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26), **(AVX2 if avx2 else {})}
    if any(os.environ.get(name) != value for name, value in settings.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **settings})


ARGUMENTS = parse_arguments()
settle(ARGUMENTS.threads, ARGUMENTS.avx2)
warnings.filterwarnings("ignore")    # warnings about a plug-in that is not loaded, outputs that PyTorch resizes, and recording

import portacl    # noqa: E402
import torch    # noqa: E402

from contestants import Draws, Ours, Theirs, errors, peers_of, several    # noqa: E402
from row import SIZES    # noqa: E402
from rows import all_rows    # noqa: E402

DTYPES = {"FLOAT": torch.float32, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16, "DOUBLE": torch.float64, "INT32": torch.int32}
NO_SUCH_DTYPE = 161002


def measured(row, dtype, label, draws, with_ceiling):
    """One row at one size."""
    operands = draws.operands(row, min(SIZES[label], row.most), dtype)
    if row.in_place():
        operands[0] = operands[0].clone()
    ours = Ours(row, operands)
    theirs = Theirs(row, ours.results, [operands[0].clone(), *operands[1:]] if row.in_place() else operands)
    peers = peers_of(row, ours.results, operands)
    streams = ceiling.contestants(operands, several(ours.results), ARGUMENTS.threads) if with_ceiling and label != "one" else []
    clock = time.process_time if ARGUMENTS.cpu_time else time.perf_counter
    samples = measure([ours, theirs, *peers.values(), *streams], ARGUMENTS.plan, ARGUMENTS.threads, clock)
    size = {"elements": max(operand.numel() for operand in operands), "ours_s": statistics.median(samples[0]),
            "theirs_s": statistics.median(samples[1]), "ratio": paired(samples[1], samples[0]), "spread": spread(samples)}
    if peers:
        size["peers"] = {name: paired(of_peer, samples[0]) for name, of_peer in zip(peers, samples[2:])}
    if streams:
        size["fraction"] = paired(min(samples[-len(streams):], key=statistics.median), samples[0])
    return size


def labels_of(row):
    """The requested sizes that the row has."""
    return [label for label in row.sizes() if not ARGUMENTS.sizes or label in ARGUMENTS.sizes]


def wanted():
    """The rows that this run has to measure: the row of the table, and the facts for its result."""
    extras = ["errors"] * (not ARGUMENTS.without_errors) + ["ceiling"] * ARGUMENTS.ceiling
    threads = f", {ARGUMENTS.threads} threads" if ARGUMENTS.threads > 1 else ""
    table = [row for row in all_rows() if (not ARGUMENTS.operators or row.operator in ARGUMENTS.operators) and row.operator not in ARGUMENTS.but
             and labels_of(row)]
    for dtype in ARGUMENTS.dtypes:
        for row in table[::ARGUMENTS.every]:
            name = dtype if dtype in row.dtypes else row.dtypes[0]
            if name == dtype or len(row.dtypes) == 1 and dtype == ARGUMENTS.dtypes[0]:
                yield {"of": row, "family": row.family, "row": row.title() + threads, "dtype": name, "sizes": labels_of(row), "with": extras}


def measured_row(each, draws):
    """One row in one dtype at all its sizes; None if the operator does not have the dtype."""
    row, dtype = each["of"], DTYPES[each["dtype"]]
    for key in [key for key in draws.pools if key[1] != dtype]:
        del draws.pools[key]
    ctypes.CDLL(None).malloc_trim(0)    # memory fragments that the last row left; the allocator's settings keep them
    with_errors = "errors" in each["with"] and not row.drawn and dtype != torch.float64
    try:
        return {**{key: value for key, value in each.items() if key != "of"}, "errors": errors(row, dtype, draws) if with_errors else None,
                "sizes": {label: measured(row, dtype, label, draws, "ceiling" in each["with"]) for label in each["sizes"]}}
    except portacl.Error as error:
        if dtype == torch.float64 and error.code == NO_SUCH_DTYPE:
            return None
        raise


def tell(place, row):
    """A line of progress: our speed relative to PyTorch's, by size, and both errors."""
    found = " ".join(f"{size['ratio']:6.2f}" for size in row["sizes"].values()) if "sizes" in row else "FAILED " + row["why"]
    compared = "   errors " + " ".join(map(shown, row["errors"])) if row.get("errors") else ""
    print(f"{place:24} {row['row']:45} {row['dtype']:9} {found}{compared}", file=sys.stderr, flush=True)


def instruction_set():
    """The instruction set of Portacl's kernels."""
    toolkit = pathlib.Path(os.environ.get("PORTACL_TOOLKIT", HERE.parent / "build/toolkit"))
    told = subprocess.run([toolkit / "bin/portacl", "info", "--json"], capture_output=True, check=True)
    return json.loads(told.stdout)["instruction_set"]["in_use"]


def main():
    torch.set_num_threads(ARGUMENTS.threads)
    facts = {"machine": machine_line(), "commit": commit(HERE), "target": instruction_set(),
             "pytorch": f"{torch.__version__}, {torch.backends.cpu.get_cpu_capability()}",
             "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "load_before": load(),
             "command": "bench/run " + " ".join(sys.argv[1:]), "rounds": ARGUMENTS.plan["rounds"],
             "clock": "processor" if ARGUMENTS.cpu_time else "clock"}
    try:
        session = Session(ARGUMENTS.output / "results.json", facts, ARGUMENTS.resume or ARGUMENTS.repeat_disturbed, ARGUMENTS.repeat_disturbed)
    except ValueError as error:
        sys.exit(str(error))
    results, draws = session.results, Draws()
    with torch.inference_mode(), torch.jit.optimized_execution(False):
        session.run(list(wanted()), lambda each: measured_row(each, draws), tell)
    session.write()
    (ARGUMENTS.output / "results.md").write_text(markdown(results), encoding="utf-8")
    if ARGUMENTS.into:
        publish(ARGUMENTS.into, results)
        chart.keep(ARGUMENTS.into, results)
        chart.main([])
    print(summary(results))
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
