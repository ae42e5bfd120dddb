#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on one core what src/base/tuning.h names, and prints a row for the table of src/base/tuning.cc.

    bench/fit_tuning.py [--rounds 9] [--only sort,prefetch]

Behind each number stands its error: half the distance of the first and the last decile of the rounds; behind a choice, what the others take. Needs
NumPy and build/toolkit, or the toolkit that PORTACL_TOOLKIT names, and PyTorch for BFLOAT16. A minute; what is counted is the processor's time, but
other programs still share the caches and the memory.

Products and quantised weights: the time of a result of m rows is fitted as a line in m, whose slope is the time of a multiply-add, and whose value at
0 is what packing takes. Processes whose PORTACL_TUNING or PORTACL_TARGET differ take turns: each has a layout or a distance of its own.
"""
import argparse
import importlib.util
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from machine import cache_sizes, commit, machine_line, read    # noqa: E402
from timing import paired, percentile, seconds    # noqa: E402

SAMPLE = 0.02    # seconds
DEPTH = COLUMNS = 512    # sizes of products: the second factor stays in the second-level cache
ROWS = (56, 112, 224, 448)    # whole tiles of products
WEIGHTS = 4096, 4096
LARGE = 1 << 24    # elements of an operand in memory
PROCESSES = 3    # for each distance: the location of its memory affects the speed
AT_LEAST = 0.98    # fraction of the default time: a distance that saves less does not replace it
# Prefetch distances, the default first, and the calls that depend on them.
DISTANCES = {"elementwise_prefetch_bytes": ((2048, 512, 1024, 4096, 8192), ("elementwise long", "elementwise short")),
             "in_place_prefetch_bytes": ((2048, 0, 512, 4096, 8192), ("elementwise long in place", "elementwise short in place")),
             "several_in_place_prefetch_bytes": ((2048, 0, 512, 1024, 4096, 8192), ("several in place",)),
             "strided_prefetch_bytes": ((3072, 1536, 4608, 6144), ("strided",)),
             "dot_prefetch_bytes": ((4096, 1024, 2048, 8192, 16384), ("dot",)),
             "weight_prefetch_bytes": ((16384, 4096, 8192, 32768), ("weights 1",)),
             "reduction_prefetch_bytes": ((1024, 512, 2048, 4096, 8192), ("reduced sum", "reduced half", "reduced largest"))}


def normal(*shape, dtype=numpy.float32):
    return numpy.random.default_rng(1).standard_normal(shape, numpy.float32).astype(dtype)


def product(m, dtype=numpy.float32, transposed="", bfloat16=False):
    """m rows; the second factor or the result is transposed."""
    a, b = normal(m, DEPTH, dtype=dtype), normal(DEPTH, COLUMNS, dtype=dtype)
    b = numpy.ascontiguousarray(b.T).T if transposed == "factor" else b
    out = numpy.empty((COLUMNS, m), dtype).T if transposed == "result" else numpy.empty((m, COLUMNS), dtype)
    if bfloat16:
        import torch
        a, b, out = (torch.from_numpy(x).bfloat16() for x in (a, b, out))
    return "aclnnMm", (a, b, 1), {"out": out}


def weights(m):
    depth, columns = WEIGHTS
    stored = numpy.random.default_rng(1).integers(-127, 127, (columns, depth), numpy.int8).T
    x, scale = normal(m, depth, dtype=numpy.float16), normal(columns, dtype=numpy.float16)
    return "aclnnWeightQuantBatchMatmulV2", (x, stored, scale, None, None, None, None, 0), {"y": numpy.empty((m, columns), numpy.float16)}


def convolution(inputs, size, outputs, window, neighbours=False):
    x = normal(1, size, size, inputs).transpose(0, 3, 1, 2) if neighbours else normal(1, inputs, size, size)
    numbers = [1, 1], [window // 2, window // 2], [1, 1]
    return ("aclnnConvolution", (x, normal(outputs, inputs, window, window), None, *numbers, False, [0, 0], 1, 0),
            {"output": numpy.empty((1, outputs, size, size), numpy.float32)})


def case(name):
    """A call by name: the operator, its arguments, and its outputs by name."""
    kind, *rest = name.split()
    if kind == "product":
        return product(int(rest[0]), numpy.float16 if "half" in rest else numpy.float32,
                       "factor" if "factor" in rest else "result" if "result" in rest else "", "bfloat16" in rest)
    if kind == "weights":
        return weights(int(rest[0]))
    if kind == "convolution":
        return convolution(*map(int, rest[:4]), "neighbours" in rest)
    if kind == "strided":
        x = numpy.random.default_rng(1).random((LARGE // 1024, 3 * 1024), numpy.float32)[:, ::3]
        return "aclnnLogitGrad", (x, x, -1.0), {"out": numpy.empty((LARGE // 1024, 3 * 1024), numpy.float32)[:, ::3]}
    if kind == "reduced":
        x = normal(LARGE // 1024, 1024, dtype=numpy.float32 if rest[0] == "sum" else numpy.float16)
        return ("aclnnAmax", (x, [1], False), {}) if rest[0] == "largest" else ("aclnnReduceSum", (x, [1], False, x.dtype), {})
    if kind == "several":
        return "aclnnInplaceAdd", (normal(LARGE), normal(LARGE)[::-1].copy(), 1.0), {}
    if kind in ("elementwise", "memory"):
        operator, *more = {"long": ("aclnnTan",), "short": ("aclnnNeg",)}[rest[0]] if rest else ("aclnnAdd", normal(LARGE)[::-1].copy(), 1.0)
        if "in" in rest:
            return operator.replace("aclnn", "aclnnInplace"), (normal(LARGE),), {}
        return operator, (normal(LARGE), *more), {"out": numpy.ones(LARGE, numpy.float32)}
    return {"dot": lambda: ("aclnnMm", (normal(1, 4096, dtype=numpy.float16), normal(4096, 4096, dtype=numpy.float16).T, 1), {}),
            "sum": lambda: ("aclnnReduceSum", (normal(1024, 1024, dtype=numpy.float16), [1], False, numpy.float16), {}),
            "scan": lambda: ("aclnnCumsum", (normal(512, 512), 1, numpy.float32), {}),
            "sort": lambda: ("aclnnSort", (normal(64, 1024), True, 1, False), {})}[kind]()


def work():
    """A process that times calls: reads "name", writes the seconds of one call."""
    import portacl
    calls = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in calls:
            operator, arguments, outputs = case(name)
            call = portacl.prepare(operator, *arguments, **outputs)
            call(1)
            calls[name] = call, max(1, math.ceil(SAMPLE / seconds(call, 1)))
        print(seconds(*calls[name], time.process_time), flush=True)


class Worker:
    def __init__(self, **environment):
        settings = {**os.environ, "PORTACL_NUM_THREADS": "1", "PORTACL_SOC": "Ascend910B1", "PORTACL_DISABLE": "1",
                    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", **environment}
        self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings)

    def time(self, name):
        """Nanoseconds of a call."""
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        told = self.process.stdout.readline()
        if not told:
            raise RuntimeError(f"the process that timed '{name}' has ended")
        return float(told) * 1e9

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def line(points):
    """Value at 0 and slope of a line fitted to (x, y) with relative errors."""
    x, y = numpy.array(points, float).T
    value, slope = numpy.linalg.lstsq(numpy.stack([1 / y, x / y], 1), numpy.ones(len(y)), rcond=None)[0]
    return value, slope


class Fit:
    def __init__(self, rounds):
        self.rounds, self.row = rounds, {}

    def keep(self, name, values):
        """The median of the rounds, and its error."""
        value = statistics.median(values)
        error = (percentile(values, 0.9) - percentile(values, 0.1)) / 2 / value
        self.row[name] = f"{value:.2g}", f"{100 * error:.0f} %"
        print(f"{name}: {value:.3g}, +-{100 * error:.0f} %", file=sys.stderr, flush=True)

    def lines(self, worker, count, names):
        """Per round, the fitted line of nanoseconds over each of `count` in rows."""
        return [line([(rows, worker.time(name.format(rows)) / count) for rows, name in names]) for _ in range(self.rounds)]

    def per(self, name, worker, call, count):
        self.keep(name, [worker.time(call) / count for _ in range(self.rounds)])

    def products(self):
        panel, count = [(m, "product {}") for m in ROWS], DEPTH * COLUMNS
        # A prohibitive cost for other layouts prevents the product from swapping its operands, so that the layout itself is timed.
        with Worker(PORTACL_TUNING="store_transposed_cost=1e9") as plain, Worker(PORTACL_TUNING="store_transposed_cost=1e-9") as stored, \
             Worker(PORTACL_TARGET="AVX2") as short:
            packs_meanwhile, product_ns = zip(*self.lines(plain, count, panel))
            packs = [value for value, _ in self.lines(plain, count, [(m, "product {} half") for m in ROWS])]
            transposes = [value for value, _ in self.lines(plain, count, [(m, "product {} half factor") for m in ROWS])]
            self.keep("product_ns", product_ns)
            if "avx2" in read("/proc/cpuinfo"):
                self.keep("short_register_product_ns", [slope for _, slope in self.lines(short, count, panel)])
            self.keep("pack_while_multiplying_cost", [max(0.01, a / b) for a, b in zip(packs_meanwhile, packs)])
            self.keep("pack_transposed_cost", [a / b for a, b in zip(transposes, packs)])
            call = f"product {ROWS[-1]}"
            extra = [(stored.time(call + " result") - plain.time(call)) / (ROWS[-1] * COLUMNS) for _ in range(self.rounds)]
            self.keep("store_transposed_cost", [1 + max(0, a) / b for a, b in zip(extra, packs)])

    def bfloat16(self):
        flags = read("/proc/cpuinfo")
        name = "tile_product_ns" if "amx_bf16" in flags else "bfloat16_product_ns" if "avx512_bf16" in flags and "AuthenticAMD" in flags else None
        if name and importlib.util.find_spec("torch"):
            with Worker() as worker:
                self.keep(name, [slope for _, slope in self.lines(worker, DEPTH * COLUMNS, [(m, "product {} bfloat16") for m in (128, 256, 512)])])

    def quantized(self):
        with Worker() as worker:
            reads, products = zip(*self.lines(worker, WEIGHTS[0] * WEIGHTS[1], [(m, "weights {}") for m in (1, 2, 3, 4)]))
            self.keep("quantized_product_ns", products)
            self.keep("quantized_weight_ns", [max(0.001, value) for value in reads])

    def convolutions(self):
        with Worker() as worker:
            places, window = 56 * 56, 9
            self.per("convolution_pixel_ns", worker, "convolution 64 56 64 3 neighbours", 64 * 64 * window * places)
            self.per("convolution_panel_ns", worker, "convolution 32 256 16 1", 32 * 16 * 256 * 256)
            self.per("convolution_tap_ns", worker, "convolution 1 256 1 3", window * 256 * 256)
            self.keep("convolution_stage_ns", [max(0.01, (worker.time("convolution 64 28 32 1") - worker.time("convolution 64 28 32 1 neighbours"))
                                                   / (64 * 28 * 28)) for _ in range(self.rounds)])

    def others(self):
        with Worker() as worker:
            self.keep("core_bytes_per_ns", [12 * LARGE / worker.time("memory") for _ in range(self.rounds)])
            self.per("scan_ns", worker, "scan", 512 * 512)
            self.per("sort_ns", worker, "sort", 64 * 1024)

    def halves(self):
        if "avx512f" not in read("/proc/cpuinfo"):
            return
        with Worker(PORTACL_TARGET="AVX3") as full, Worker(PORTACL_TARGET="AVX2") as half:
            ratio = paired(*zip(*[(half.time("sum"), full.time("sum")) for _ in range(self.rounds)]))
        self.row["halves_512_bits"] = "true" if ratio < AT_LEAST else "false", f"with 256 bits, sums take {ratio:.2f} times as long"

    def prefetch(self):
        for name, (distances, calls) in DISTANCES.items():
            workers = [[Worker(PORTACL_TUNING=f"{name}={distance}") for _ in range(PROCESSES)] for distance in distances]
            times = [[statistics.mean(math.log(worker.time(call)) for worker in each for call in calls) for each in workers]
                     for _ in range(self.rounds)]
            for worker in sum(workers, []):
                worker.__exit__()
            ratios = [math.exp(statistics.median(each[i] - each[0] for each in times)) for i in range(len(distances))]
            best = min(range(len(ratios)), key=lambda i: ratios[i] if i == 0 or ratios[i] < AT_LEAST else 2)
            others = ", ".join(f"{distance}: {ratio / ratios[best]:.2f}" for distance, ratio in zip(distances, ratios) if distance != distances[best])
            self.row[name] = str(distances[best]), f"times of others: {others}"
            print(f"{name}: {distances[best]}; {others}", file=sys.stderr, flush=True)

    def caches(self):
        size = cache_sizes().partition("K")[0].rpartition(" ")[2]
        if size.isdigit():
            self.row["second_level_bytes"] = f"{int(size) // 2} << 10", "half of it"


PARTS = ("others", "products", "bfloat16", "quantized", "convolutions", "halves", "prefetch", "caches")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", type=lambda text: text.split(","), default=PARTS, help=f"of {','.join(PARTS)}")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        return work()
    fit = Fit(arguments.rounds)
    for part in arguments.only:
        getattr(fit, part)()
    print(f"// {machine_line()}; {commit(HERE)}")
    for name, (value, error) in fit.row.items():
        print(f"    .{name} = {value},  // {error if '%' not in error else '+-' + error}")


if __name__ == "__main__":
    main()
