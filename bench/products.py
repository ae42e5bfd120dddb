#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures matrix products at the shapes of models beside PyTorch's, on the same memory, in turns: times, and errors.

    bench/products.py            writes build/bench/products.md; 2 minutes
    bench/products.py --threads 2
    bench/products.py --into docs/benchmarks    keeps the tables there, in the file of their date and processor

PyTorch multiplies FLOAT by MKL and by its own oneDNN, 16 bits by its oneDNN. Needs torch and build/toolkit, or the toolkit that PORTACL_TOOLKIT names.
"""
import argparse
import datetime
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
sys.path.insert(0, str(HERE))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=["FLOAT", "FLOAT16", "BFLOAT16"])
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    parser.add_argument("--into", type=pathlib.Path, help="a folder that keeps this run")
    return parser.parse_args()


ARGUMENTS = parse_arguments() if __name__ == "__main__" else None
if ARGUMENTS:
    settings = {"PORTACL_NUM_THREADS": str(ARGUMENTS.threads), "OMP_NUM_THREADS": str(ARGUMENTS.threads), "PORTACL_SOC": "Ascend910B1",
                "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
    if any(os.environ.get(name) != value for name, value in settings.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **settings})

import portacl    # noqa: E402
import torch    # noqa: E402

from family_report import processor, shown    # noqa: E402
from machine import commit, load, machine_line    # noqa: E402
from report import seconds, table    # noqa: E402

DTYPES = {"FLOAT": torch.float32, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16}
KEPT = 1    # cubeMathType: FLOAT products keep FLOAT


class Row:
    """One call: operands, ours, and PyTorch's forms by name, which write into or return the result. PyTorch takes minutes for FLOAT16 where `b` is
    not transposed (50 to 250 times ours): that is left out."""

    def __init__(self, name, operands, ours, peers, exact, products, transposed=False):
        self.name, self.operands, self.ours, self.peers, self.exact, self.products = name, operands, ours, peers, exact, products
        self.dtypes = tuple(DTYPES) if transposed else ("FLOAT", "BFLOAT16")


def drawn(*shape, scale=1.0):
    return lambda dtype: (scale * torch.randn(*shape)).to(dtype)


def mm_peers(out):
    yield "PyTorch", lambda a, b: torch.mm(a, b, out=out)
    if out.dtype == torch.float32:
        def by_onednn(a, b):
            return torch.ops.mkldnn._linear_pointwise(a, b.t(), None, "none", [], "")
        yield "oneDNN 3", by_onednn


def mm_row(m, k, n, transposed):
    side = drawn(n, k, scale=k ** -0.5) if transposed else drawn(k, n, scale=k ** -0.5)
    second = (lambda dtype: side(dtype).t()) if transposed else side
    name = f"aclnnMm, {m} x {k} by {k} x {n}" + (", transposed" if transposed else "")
    return Row(name, (drawn(m, k), second), lambda a, b, out: portacl.prepare("aclnnMm", a, b, KEPT, out=out), mm_peers,
               lambda a, b: (a.double() @ b.double(), a.double().abs() @ b.double().abs()), 2.0 * m * k * n, transposed)


def batched_row(batch, m, k, n):
    return Row(f"aclnnBatchMatMul, {batch} of {m} x {k} by {k} x {n}", (drawn(batch, m, k), drawn(batch, k, n, scale=k ** -0.5)),
               lambda a, b, out: portacl.prepare("aclnnBatchMatMul", a, b, KEPT, out=out),
               lambda out: [("PyTorch", lambda a, b: torch.bmm(a, b, out=out))],
               lambda a, b: (a.double() @ b.double(), a.double().abs() @ b.double().abs()), 2.0 * batch * m * k * n)


def measure(calls, rounds):
    """Seconds of one call of each, in every round, in turns."""
    times = []
    for call in calls:
        call(1)
        begin = time.perf_counter()
        call(1)
        times.append(max(1, int(0.03 / max(1e-7, time.perf_counter() - begin))))
    samples = [[] for _ in calls]
    for turn in range(rounds):
        for i in range(len(calls)) if turn % 2 == 0 else reversed(range(len(calls))):
            begin = time.perf_counter()
            calls[i](times[i])
            samples[i].append((time.perf_counter() - begin) / times[i])
    return samples


def repeated(function, *operands):
    def call(times):
        for _ in range(times):
            result = function(*operands)
        return result
    return call


def error_of(got, exact, terms):
    """The largest difference beside the sum of the absolute products, in units of the dtype's rounding."""
    return ((got.double() - exact).abs() / terms).max().item() / torch.finfo(got.dtype).eps


def lines_of(row, dtype_name, rounds):
    dtype = DTYPES[dtype_name]
    torch.manual_seed(1)
    operands = [draw(dtype) for draw in row.operands]
    exact, terms = row.exact(*operands)
    out = torch.empty(exact.shape, dtype=dtype)
    theirs = torch.empty_like(out)
    ours = row.ours(*operands, out)
    ours(1)
    peers = list(row.peers(theirs))
    samples = measure([ours, *(repeated(function, *operands) for _, function in peers)], rounds)
    mine = statistics.median(samples[0])
    line = [row.name, dtype_name, seconds(mine), f"{row.products / mine / 1e9:.0f}", shown(error_of(out, exact, terms))]
    cells = []
    for (name, function), of in zip(peers, samples[1:]):
        ratio = statistics.median(t / o for t, o in zip(of, samples[0]))
        cells.append(f"{ratio:.2f} ({name}; error {shown(error_of(function(*operands), exact, terms))})")
    print(" | ".join([*line, *cells]), file=sys.stderr, flush=True)
    return [*line, ", ".join(cells)]


def rows():
    for m in (1, 4, 32, 64, 512):
        yield mm_row(m, 4096, 4096, True)
    yield mm_row(32, 4096, 4096, False)
    yield mm_row(512, 4096, 4096, False)
    yield mm_row(512, 512, 512, False)
    yield batched_row(32, 128, 64, 128)
    yield batched_row(32, 512, 64, 512)
    yield batched_row(32, 512, 512, 64)


def main():
    torch.set_num_threads(ARGUMENTS.threads)
    load_before = load()
    lines = []
    with torch.inference_mode():
        for row in rows():
            if ARGUMENTS.only in row.name:
                lines += [lines_of(row, dtype, ARGUMENTS.rounds) for dtype in ARGUMENTS.dtypes if dtype in row.dtypes]
    today = datetime.date.today().isoformat()
    text = (f"# Matrix products beside PyTorch, {today}\n\n"
            f"- {machine_line().split(', Linux')[0]}; PyTorch {torch.__version__}; Portacl {commit(HERE)}; threads: {ARGUMENTS.threads}\n"
            f"- `bench/products.py`, medians of {ARGUMENTS.rounds} rounds in turns; the machine's load before: {load_before:.1f}\n"
            "- errors: the largest, in units of the dtype's rounding of the sum of the absolute products\n\n"
            + table(["call", "dtype", "time", "GFLOP/s", "error", "the peer's time divided by ours"], lines))
    folder = ARGUMENTS.into or HERE.parent / "build/bench"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{today}-products-{processor(machine_line())}.md" if ARGUMENTS.into else "products.md"
    (folder / name).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
