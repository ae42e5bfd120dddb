#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the rows of families beside PyTorch's calls, on the same memory, in turns, one thread each: errors, and times at three sizes.

    bench/families.py            writes build/bench/families.json and families.md; 10 to 15 minutes
    bench/families.py --quick    to look, not to publish: 3 minutes
    bench/families.py --operators aclnnExp,aclnnCat --dtypes FLOAT16
    bench/families.py --add --operators aclnnExp    keeps what was measured of other rows, of the same commit on the same machine
    bench/families.py --ceiling    rows that memory should bind, of four dtypes, beside what moves as many bytes; needs build/release/bench, too

Needs torch, NumPy and build/toolkit, or the toolkit that PORTACL_TOOLKIT names. Exit status 1 when a call of ours failed.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
# One thread for each, and results that PyTorch's calls allocate come from memory that was used before, as a loop of a program finds it.
SETTINGS = {"PORTACL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PORTACL_SOC": "Ascend910B1",
            "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}
if __name__ == "__main__" and any(os.environ.get(name) != value for name, value in SETTINGS.items()):
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **SETTINGS})

import portacl    # noqa: E402
import torch    # noqa: E402

import family_ceiling    # noqa: E402
from family_report import markdown, publish, summary    # noqa: E402
from family_row import DRAWS, indices    # noqa: E402
from family_rows import all_rows    # noqa: E402
from machine import commit, load, machine_line    # noqa: E402
from summary import paired, percentile    # noqa: E402

DTYPES = {"FLOAT": torch.float32, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16, "DOUBLE": torch.float64, "INT32": torch.int32}
SIZES = {"L2": 1 << 14, "L3": 1 << 18, "memory": 1 << 24}    # elements
CHECKED = 1 << 18    # elements of which errors are measured
FULL = {"rounds": 9, "sample": 0.004, "longest": 0.5}
QUICK = {"rounds": 3, "sample": 0.001, "longest": 0.1}


class Draws:
    """Operands, cut from numbers that are drawn once."""

    def __init__(self):
        self.pools = {}

    def operand(self, operand, n, dtype, place, wide=False):
        if operand.kind == "index":
            return indices(n)
        shape = operand.shape(n)
        kind = "wide" if wide and operand.kind == "normal" else operand.kind
        elements = torch.Size(shape).numel()
        key = kind, dtype, place
        if key not in self.pools or len(self.pools[key]) < elements:
            torch.manual_seed(place)
            drawn = DRAWS[kind](max(elements, CHECKED))
            self.pools[key] = drawn.to(dtype) if drawn.dtype == torch.float32 else drawn
        return self.pools[key][:elements].view(shape)


class Ours:
    """Both phases and the wait, repeated on prepared descriptors."""

    def __init__(self, row, operands):
        arguments, named = row.ours(*operands), {}
        if isinstance(arguments[-1], dict):
            arguments, named = arguments[:-1], arguments[-1]
        self.call = portacl.prepare(row.operator, *arguments, **named)

    def __call__(self, times):
        self.call(times)


class Theirs:
    """PyTorch's call. Where it writes to memory that exists, several are recorded in a graph, which costs about 0.3 us a call in place of Python's 1 us;
    calls whose results nobody reads would be dropped from a graph."""

    def __init__(self, row, out, operands, elements):
        single, several = isinstance(out, torch.Tensor), 32 if elements <= SIZES["L2"] else 4
        outs = (out,) if single else tuple(o for o in out if o is not None)
        self.tensors, self.each = (*outs, *operands), several

        def once(*tensors):
            results = tensors[0] if single else tensors[:len(outs)]
            return row.torch(results, *tensors[len(outs):])

        def often(*tensors):
            for _ in range(several):
                result = once(*tensors)
            return result
        self.once, self.often = once, often
        writes = first(once(*self.tensors)).data_ptr() in (tensor.data_ptr() for tensor in self.tensors)
        if writes and elements < SIZES["memory"]:
            self.often = torch.jit.trace(often, self.tensors, check_trace=False)

    def __call__(self, times):
        for _ in range(times // self.each):
            self.often(*self.tensors)
        for _ in range(times % self.each):
            self.once(*self.tensors)


def seconds(contestant, times, clock):
    begin = clock()
    contestant(times)
    return (clock() - begin) / times


def calibrate(contestant, plan):
    """How often a sample calls, and the seconds of a call."""
    contestant(1)
    times, each = 1, seconds(contestant, 1, time.perf_counter)
    while each * times < plan["sample"] / 2:
        times = max(4 * times, min(32 * times, int(plan["sample"] / each)))
        each = seconds(contestant, times, time.perf_counter)
    if times >= 64:
        times -= times % 32    # whole graphs
    return times, each


def measure(contestants, plan, clock):
    """Seconds of one call: of each contestant, in every round."""
    calls = [calibrate(contestant, plan) for contestant in contestants]
    round_takes = sum(times * each for times, each in calls)
    rounds = max(3, min(plan["rounds"], int(plan["longest"] / round_takes)))
    samples = [[] for _ in contestants]
    for turn in range(rounds):
        for i in range(len(contestants))[::1 if turn % 2 == 0 else -1]:
            samples[i].append(seconds(contestants[i], calls[i][0], clock))
    return samples


def largest_error(got, exact, terms, vanishing):
    """In units in the last place that numbers as large as `terms` have; infinity where one is infinite or NaN and the other is not. `vanishing`: 0 is
    right where the exact result is no normal number, or becomes none by a rounding."""
    info = torch.finfo(got.dtype)
    unit = torch.exp2(torch.floor(torch.log2(terms.abs().clamp(min=info.smallest_normal, max=info.max)))) * info.eps
    error = (got.double() - exact).abs() / unit
    rounded = exact.to(got.dtype)
    error[~rounded.isfinite() & (got == rounded) | got.isnan() & rounded.isnan()] = 0
    if vanishing:
        error[(got == 0) & (exact.abs() < info.smallest_normal * (1 + info.eps))] = 0
    return error.nan_to_num(nan=float("inf"), posinf=float("inf")).max().item()


def first(result):
    return result if isinstance(result, torch.Tensor) else result[0]


def widened(value):
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        return tuple(map(widened, value))
    return value.double() if value.is_floating_point() else value.clone()


def errors(row, dtype, draws):
    """(Ours, PyTorch's) over ordinary and over wide operands."""
    ours, theirs = 0, 0
    for wide in (False, True):
        operands = [draws.operand(o, CHECKED, dtype, place, wide) for place, o in enumerate(row.operands)]
        copies = [o.clone() for o in operands]
        exact_operands = [widened(o) for o in operands]
        call = Ours(row, copies)
        call(1)
        got = first(call.call.results).clone()
        if not got.is_floating_point():
            return None
        results = call.call.results
        their_operands = [o.clone() for o in operands]
        peer = first(row.torch(results, *their_operands))
        terms = row.terms(*exact_operands) if row.terms else None
        exact = row.exact(*exact_operands) if row.exact else first(row.torch(widened(results), *exact_operands))
        terms = exact if terms is None else torch.maximum(terms, exact.abs())
        ours = max(ours, largest_error(got, exact, terms, row.vanishing))
        theirs = max(theirs, largest_error(peer, exact, terms, row.vanishing))
    return ours, theirs


def measured(row, dtype_name, label, draws, arguments):
    """One row at one size."""
    dtype, elements = DTYPES[dtype_name], min(SIZES[label], row.most)
    operands = [draws.operand(o, elements, dtype, place) for place, o in enumerate(row.operands)]
    if row.in_place():
        operands[0] = operands[0].clone()
    ours = Ours(row, operands)
    ours(1)
    if row.in_place():
        operands = [operands[0].clone(), *operands[1:]]
    theirs = Theirs(row, ours.call.results, operands, elements)
    clock = time.process_time if arguments.cpu_time else time.perf_counter
    samples = measure((ours, theirs), arguments.plan, clock)
    return {"elements": elements, "ours_s": statistics.median(samples[0]), "theirs_s": statistics.median(samples[1]),
            "ratio": paired(samples[1], samples[0]), "best_ratio": min(samples[1]) / min(samples[0]),
            "spread": max(percentile(values, 0.9) / percentile(values, 0.1) for values in samples)}


def beside_ceiling(row, dtype_name, draws, arguments):
    """The part of the streams' speed that one row has out of the caches."""
    operands = [draws.operand(o, min(SIZES["memory"], row.most), DTYPES[dtype_name], place) for place, o in enumerate(row.operands)]
    ours = Ours(row, operands)
    ours(1)
    results = ours.call.results
    streams = family_ceiling.contestants(operands, [results] if isinstance(results, torch.Tensor) else [o for o in results if o is not None])
    samples = measure([ours, *streams], arguments.plan, time.perf_counter)
    for stream in streams:
        stream.stream.release()
    best = min(samples[1:], key=statistics.median)
    return {"ours_s": statistics.median(samples[0]), "ceiling_s": statistics.median(best), "fraction": paired(best, samples[0]),
            "spread": max(percentile(values, 0.9) / percentile(values, 0.1) for values in (samples[0], best))}


def run_ceiling(arguments):
    """Of each row its dtypes; one that the operator does not have is left out."""
    named = [row for row in all_rows() if row.operator in family_ceiling.OPERATORS and (not arguments.operators or row.operator in arguments.operators)]
    found, draws = {}, Draws()
    for dtype in arguments.dtypes:
        draws.pools.clear()
        for row in named:
            try:
                cell = found.setdefault(row.title(), {})[dtype] = beside_ceiling(row, dtype, draws, arguments)
            except RuntimeError as error:
                print(f"{row.title()} {dtype}: {str(error).strip().splitlines()[0][:200]}", file=sys.stderr, flush=True)
                continue
            print(f"{row.title():45} {dtype:9} {cell['fraction']:6.2f}", file=sys.stderr, flush=True)
    return found


def run(arguments):
    rows, failed = [], []
    table, draws = all_rows(), Draws()
    for dtype in arguments.dtypes:
        draws.pools.clear()
        for row in table:
            if arguments.operators and row.operator not in arguments.operators:
                continue
            if dtype not in row.dtypes and (len(row.dtypes) > 1 or dtype != arguments.dtypes[0]):
                continue
            name = dtype if dtype in row.dtypes else row.dtypes[0]
            result = {"family": row.family, "row": row.title(), "dtype": name, "sizes": {}, "errors": None}
            try:
                if not row.drawn and not arguments.without_errors:
                    result["errors"] = errors(row, DTYPES[name], draws)
                for label in arguments.sizes:
                    if label == "memory" and row.most <= SIZES["L3"]:
                        continue
                    result["sizes"][label] = measured(row, name, label, draws, arguments)
            except Exception as error:    # one row that cannot be measured is no reason to stop
                failed.append({"row": row.title(), "dtype": name, "why": str(error).strip().splitlines()[0][:200]})
                print(f"FAILED {row.title()} {name}: {failed[-1]['why']}", file=sys.stderr, flush=True)
                continue
            rows.append(result)
            ratios = " ".join(f"{size['ratio']:6.2f}" for size in result["sizes"].values())
            print(f"{row.title():45} {name:9} {ratios}   {result['errors'] or ''}", file=sys.stderr, flush=True)
    return rows, failed


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", dest="plan", action="store_const", const=QUICK, default=FULL, help="fewer and shorter samples")
    parser.add_argument("--operators", type=lambda text: text.split(","), default=[], help="for example aclnnExp,aclnnCat; default: all")
    parser.add_argument("--dtypes", type=lambda text: text.split(","), help="default FLOAT,BFLOAT16; beside the ceiling all four that float")
    parser.add_argument("--sizes", type=lambda text: text.split(","), default=list(SIZES), help="default " + ",".join(SIZES))
    parser.add_argument("--without-errors", action="store_true", help="times only")
    parser.add_argument("--cpu-time", action="store_true", help="the time of the processor, not that of the clock: beside other programs")
    parser.add_argument("--ceiling", action="store_true", help="beside the ceiling of memory, not beside PyTorch")
    parser.add_argument("--add", action="store_true", help="keep the results that are there of other rows, of the same commit and machine")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parent / "build/bench", help="folder of the results")
    parser.add_argument("--into", type=pathlib.Path, help="a folder that keeps this run: docs/benchmarks")
    arguments = parser.parse_args()
    arguments.dtypes = arguments.dtypes or (family_ceiling.DTYPES if arguments.ceiling else ["FLOAT", "BFLOAT16"])
    return arguments


def add_earlier(results, path):
    """To these rows the others of an earlier run."""
    earlier = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if any(earlier.get(key) != results[key] for key in ("machine", "commit", "pytorch")):
        return
    measured_now = {(row["row"], row["dtype"]) for row in results["rows"]}
    results["rows"] = [row for row in earlier["rows"] if (row["row"], row["dtype"]) not in measured_now] + results["rows"]
    before, now = earlier.get("ceiling", {}), results["ceiling"]
    results["ceiling"] = {title: {**before.get(title, {}), **now.get(title, {})} for title in {**before, **now}}


def main():
    arguments = parse_arguments()
    warnings.filterwarnings("ignore")    # what PyTorch says of outputs that it resizes, and of recording
    torch.set_num_threads(1)
    results = {"machine": machine_line(), "commit": commit(HERE), "pytorch": f"{torch.__version__}, {torch.backends.cpu.get_cpu_capability()}",
               "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "load_before": load(),
               "command": "bench/families.py " + " ".join(sys.argv[1:]), "rounds": arguments.plan["rounds"],
               "clock": "processor" if arguments.cpu_time else "clock"}
    with torch.inference_mode(), torch.jit.optimized_execution(False):
        results["rows"], results["failed"] = ([], []) if arguments.ceiling else run(arguments)
        results["ceiling"] = run_ceiling(arguments) if arguments.ceiling else {}
    if arguments.add:
        add_earlier(results, arguments.output / "families.json")
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "families.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    (arguments.output / "families.md").write_text(markdown(results), encoding="utf-8")
    if arguments.into:
        publish(arguments.into, results)
    print(summary(results))
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
