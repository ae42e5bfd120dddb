# SPDX-License-Identifier: Apache-2.0
"""PORTACL_FALLBACK=report: prints at exit which operators ran natively and which on the CPU, how often and for how long."""

import atexit
import sys
import time

from . import native

NATIVE, ON_CPU = "native", "on the CPU"


class Report:
    """Counts calls of kernels. Times are those of the calling thread: an asynchronous native operator counts only with
    the time to start it."""

    def __init__(self):
        self._rows = {}
        atexit.register(self.write)

    def counted(self, name, where, kernel):
        """Wraps `kernel` so that its calls are counted as operator `name`."""
        row = self._rows.setdefault((where, name), [0, 0.0])
        clock = time.perf_counter

        def counting(*args, **kwargs):
            begin = clock()
            result = kernel(*args, **kwargs)  # a refused call ran nowhere
            row[0] += 1
            row[1] += clock() - begin
            return result

        return counting

    def write(self):
        for where in (NATIVE, ON_CPU):
            rows = sorted(((seconds, calls, name) for (place, name), (calls, seconds) in self._rows.items()
                           if place == where and calls), reverse=True)
            calls, seconds = sum(row[1] for row in rows), sum(row[0] for row in rows)
            print(f"portacl: {len(rows)} operators {where}, {calls} calls, {seconds * 1e3:.1f} ms", file=sys.stderr)
            for seconds, calls, name in rows:
                absent = ", ".join(native.missing.get(name.removeprefix("aten::"), ())) if where == ON_CPU else ""
                print(f"  {name:<48} {calls:>9} calls {seconds * 1e3:>10.1f} ms {seconds / calls * 1e6:>10.1f} us each"
                      f"{absent and '  no ' + absent}", file=sys.stderr)
