#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the newest results: the chart of the README, and the table of docs/benchmarks.md.

    bench/chart.py             writes both from docs/benchmarks/speed.json, whose rows bench/run --into exchanges
    bench/chart.py --check     fails where they are not what this file gives
"""
import json
import math
import pathlib
import sys

from report import processor, seconds, shown, table
from timing import DISTURBED

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- summary: begin (written by bench/chart.py) -->\n", "<!-- summary: end -->\n"
DRAWN = ("FLOAT", "BFLOAT16")
PEERS = ("PyTorch", "oneDNN")
COLOURS = {"Portacl": "#1a7f37", "PyTorch": "#cf222e", "oneDNN": "#0969da"}
ROW, TOP, LABELS, PANEL, GAP = 17, 64, 280, 290, 40
# One row of each kind, in the order of the chart.
CHARTED = ("aclnnAdd", "aclnnExp", "aclnnGeluV2, none", "aclnnLogit", "aclnnSwiGlu", "aclnnSwiGluGrad", "aclnnSmoothL1Loss, no reduction",
           "aclnnSmoothL1LossBackward", "aclnnReduceSum, rows", "aclnnSoftmax, rows", "aclnnScaledMaskedSoftmax, nothing masked", "aclnnLayerNorm",
           "aclnnRmsNorm", "aclnnPermute, transposed", "aclnnMm, 512 x 512 by 512 x 512", "aclnnConvolution, 4 x 64 x 56 x 56 to 64 by 3 x 3",
           "aclnnCtcLoss, T150 N32 C29 S30", "aclnnCtcLossBackward, T150 N32 C29 S30")


def read(folder):
    return json.loads((folder / "speed.json").read_text(encoding="utf-8"))


def found(results):
    """The results of a single-threaded run for the rows of the chart, if nothing disturbed it."""
    for row in results["rows"]:
        size = row["sizes"].get("L3") or row["sizes"].get("given")
        if row["row"] not in CHARTED or not size or size["spread"] > DISTURBED:
            continue
        fraction = {"fraction": round(size["fraction"], 2)} if "fraction" in size else {}
        errors = {"errors": dict(zip(("Portacl", "PyTorch"), row["errors"]))} if row["errors"] else {}
        yield {"row": row["row"], "dtype": row["dtype"], "seconds": float(f"{size['ours_s']:.3g}"), **fraction,
               "peers": {name: round(ratio, 2) for name, ratio in {"PyTorch": size["ratio"], **size.get("peers", {})}.items()}, **errors,
               "date": results["date"][:10], "processor": processor(results["machine"]), "target": results["target"], "machine": results["machine"]}


def keep(folder, results):
    """Replaces the rows of the chart that a run measured again, and removes rows that the chart no longer has."""
    newest = {(CHARTED.index(row["row"]), row["dtype"], row["processor"], row["target"]): row
              for row in [*read(folder), *found(results)] if row["row"] in CHARTED}
    text = ",\n".join(json.dumps(newest[key]) for key in sorted(newest))
    (folder / "speed.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")


def text(x, y, words, anchor="start", extra=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" {extra}>{words}</text>'


class Panel:
    """A logarithmic axis from 10^low to 10^high with a line at 1."""

    def __init__(self, left, title, names, low, high, marks):
        self.left, self.low, self.high = left, low, high
        self.title, self.names, self.marks = title, names, marks

    def x(self, value):
        share = (math.log10(max(value, 10**self.low)) - self.low) / (self.high - self.low)    # an error may be 0
        return self.left + PANEL * min(share, 1)

    def frame(self, bottom):
        yield text(self.left, 18, self.title, extra='font-weight="bold"')
        x = self.left
        for name in self.names:
            yield f'<circle cx="{x + 5:.0f}" cy="34" r="4.5" fill="{COLOURS[name]}"/>' + text(x + 14, 38, name)
            x += 28 + 7 * len(name)
        for value in self.marks:
            colour = "#57606a" if value == 1 else "#d8dee4"
            yield f'<line x1="{self.x(value):.1f}" x2="{self.x(value):.1f}" y1="{TOP - 6}" y2="{bottom}" stroke="{colour}"/>'
            yield text(self.x(value), TOP - 10, f"{value:g}" if value < 1e4 else f"1e{math.log10(value):.0f}", "middle", 'fill="#57606a"')

    def points(self, y, values):
        for size, name in zip((5.5, 4, 4), self.names):    # equal points stay visible
            if name in values:
                yield f'<circle cx="{self.x(values[name]):.1f}" cy="{y:.1f}" r="{size}" fill="{COLOURS[name]}"/>'


def drawn(speed):
    """The newest result of each row and dtype, with AVX-512 if there are several."""
    newest = {}
    for row in sorted(speed, key=lambda row: (row["date"], row["target"] == "AVX3")):
        newest[CHARTED.index(row["row"]), row["dtype"]] = row
    return [newest[key] for key in sorted(newest) if key[1] in DRAWN]


def chart(speed):
    rows = drawn(speed)
    bottom = TOP + ROW * len(rows)
    width = LABELS + 2 * PANEL + GAP + 20
    fast = Panel(LABELS, "Portacl is ... times as fast as", PEERS, math.log10(0.5), math.log10(20),
                 (0.5, 1, 2, 5, 10, 20))
    exact = Panel(LABELS + PANEL + GAP, "largest error in ULP", ("PyTorch", "Portacl"), -1, 6, (0.1, 1, 10, 100, 1000, 10000, 100000))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 10}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{bottom + 10}" fill="white"/>']
    for index in range(0, len(rows), 2):
        parts.append(f'<rect x="0" y="{TOP + ROW * index}" width="{width}" height="{ROW}" fill="#f6f8fa"/>')
    parts += [*fast.frame(bottom), *exact.frame(bottom)]
    for index, row in enumerate(rows):
        y = TOP + ROW * (index + 0.5)
        parts.append(text(LABELS - 12, y + 4, f"{row['row'].removeprefix('aclnn').partition(',')[0]} {row['dtype']}", "end"))
        parts += fast.points(y, row["peers"])
        parts += exact.points(y, row.get("errors", {}))
    return "\n".join([*parts, "</svg>", ""])


def summary(speed):
    lines = []
    for row in drawn(speed):
        lines.append([row["row"], row["dtype"], row["processor"], seconds(row["seconds"]), f"{row['fraction']:.2f}" if "fraction" in row else "",
                      *(f"{row['peers'][name]:.2f}" if name in row["peers"] else "" for name in PEERS),
                      *(shown(row["errors"][name], 3) if "errors" in row else "" for name in ("Portacl", "PyTorch"))])
    return table(["row", "dtype", "processor", "time", "of the ceiling", *PEERS, "error", "PyTorch's"], lines)


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    speed = read(DOCS / "benchmarks")
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    tail = rest.partition(END)[2]
    wanted = {DOCS / "benchmarks/chart.svg": chart(speed),
              DOCS / "benchmarks.md": head + BEGIN + summary(speed) + END + tail}
    wrong = [path for path, content in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != content]
    for path in wrong:
        if arguments:
            print(f"{path.name} is not what docs/benchmarks/speed.json gives; bench/chart.py writes it")
        else:
            path.write_text(wanted[path], encoding="utf-8")
    return 1 if arguments and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
