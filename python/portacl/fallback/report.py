# SPDX-License-Identifier: Apache-2.0
"""For PORTACL_FALLBACK=report: prints which operators ran natively and which on the CPU, how often and for how long."""

import collections
import sys

import torch

from . import native


def write():
    found = collections.defaultdict(lambda: [0, 0.0])    # an operator may have several kernels
    for line in torch.ops.portacl.calls():
        name, where, calls, nanoseconds = line.split("\t")
        found[where, name][0] += int(calls)
        found[where, name][1] += int(nanoseconds) / 1e9
    missing = native.outcomes()[1]
    for where in ("native", "on the CPU"):
        rows = sorted(((seconds, calls, name) for (place, name), (calls, seconds) in found.items() if place == where), reverse=True)
        calls, seconds = sum(row[1] for row in rows), sum(row[0] for row in rows)
        print(f"portacl: {len(rows)} operators {where}, {calls} calls, {seconds * 1e3:.1f} ms", file=sys.stderr)
        for seconds, calls, name in rows:
            absent = ", ".join(missing.get(name.removeprefix("aten::"), ())) if where == "on the CPU" else ""
            print(f"  {name:<48} {calls:>9} calls {seconds * 1e3:>10.1f} ms {seconds / calls * 1e6:>10.1f} us each"
                  f"{absent and '  no ' + absent}", file=sys.stderr)
