# SPDX-License-Identifier: Apache-2.0
"""Measures the rows of one process, that is for one number of threads; bench/compare.py starts it.

    measure.py SETTINGS.json RESULT.json

Every contestant of a row works on the same memory, and they take turns, so that a disturbance meets all of them.
"""
import dataclasses
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

from native import Library, PortaclContestant, StreamContestant, Tensor, first_difference
from onednn_peer import Onednn, OnednnContestant
from operator_table import DTYPES, all_operators
from rows import PLANS, rows_of, strides_of
from summary import percentile

CHECKED_BY_FORMULA = 2000    # elements of Portacl's output; the others' outputs are compared with it whole
MOST_RESTS = 10


def is_close(value, exact, relative, absolute):
    """NaN is close to NaN, an infinity only to itself."""
    if not math.isfinite(exact):
        return value == exact or math.isnan(exact) and math.isnan(value)
    return abs(value - exact) <= relative * abs(exact) + absolute


class Bench:
    """One process's library, peers and settings."""

    def __init__(self, settings):
        self.threads, self.plan = settings["threads"], dict(PLANS[settings["plan"]])
        self.plan["rounds"] = settings.get("rounds") or self.plan["rounds"]
        self.spread_bound, self.rest = settings["spread_bound"], settings["rest"]
        self.peer = self.onednn = None
        if settings["torch"]:
            import torch    # before the toolkit, as a user's program would have it
            from torch_peer import Torch
            self.peer = Torch(torch, pathlib.Path(settings["build"]), self.threads)
        if settings["onednn"]:
            self.onednn = Onednn(settings["onednn"])
        self.library = Library(settings["library"])

    @staticmethod
    def named_shape(operator, row):
        return next(shape for shape in operator.named_shapes if shape.label == row.label)

    def operands(self, operator, row):
        shapes = operator.operand_shapes(row.elements)
        if row.kind == "shape":
            shapes = self.named_shape(operator, row).shapes(self.plan["scale"])
        if row.kind != "layout":
            dtypes = operator.dtypes_of_operands(row.dtype)
            return [Tensor(self.library, dtype, shape) for dtype, shape in zip(dtypes, shapes)]
        side = self.plan["side"]
        return [Tensor(self.library, row.dtype, (side, side), strides_of(row.label, side, position, len(shapes)))
                for position in range(len(shapes))]

    def contestants(self, operator, row, operands, attributes):
        """Portacl, the ceiling, and the peers, as far as they have a form of this row; and why others have none."""
        result, refused = [PortaclContestant(self.library, operator, operands, attributes)], {}
        if row.kind in ("size", "shape", "growth"):
            for non_temporal in (False, True):
                result.append(StreamContestant(self.library, operands, operator.reads, operator.writes, self.threads,
                                               non_temporal))
        makers = []
        if self.onednn and operator.onednn and row.data == operator.data[0].name:
            makers.append(("oneDNN", lambda: OnednnContestant(self.onednn, operator, operands)))
        if self.peer:
            makers += self.torch_makers(operator, row, operands, attributes)
        for name, make in makers:
            try:
                result.append(make())
            except Exception as error:    # a peer without the operator, the dtype or a compiler is no reason to stop
                refused[name] = str(error).splitlines()[0]
        return result, refused

    def torch_makers(self, operator, row, operands, attributes):
        """(name, what makes the contestant) of every form of PyTorch's that takes part in this row."""
        from torch_peer import TorchCppContestant, TorchPythonContestant
        forms = {}
        if row.kind in ("size", "shape", "overhead"):
            forms["PyTorch as written"] = operator.torch_user
        if row.kind == "overhead":
            forms["PyTorch Python"] = operator.torch_python
        if row.kind in ("size", "shape") and not row.label.endswith("L2"):    # a call of it costs about 18 us, so small sizes say little
            forms["torch.compile"] = operator.torch_compiled
        makers = [("PyTorch C++", lambda: TorchCppContestant(self.peer, operator, operands, attributes))]
        for name, form in forms.items():
            makers.append((name, lambda name=name, form=form: TorchPythonContestant(name, self.peer, form, operands,
                                                                                    attributes)))
        return makers

    def refusal(self, operator, row, operands, attributes, contestant, want):
        """Runs `contestant` once: (what is wrong with its output or None, the output)."""
        out = operands[-1]
        dtype = DTYPES[row.dtype]
        out.fill(b"\xff" * 4)    # NaN in every dtype: a contestant that writes nothing is found
        try:
            if contestant.time(1) < 0:
                return "the call failed", None
            got = contestant.output()
        except Exception as error:
            return str(error).splitlines()[0], None
        relative, absolute = 4 * dtype.unit, operator.absolute * dtype.unit + dtype.smallest_normal * dtype.unit
        if want is not None:
            if len(got) != len(want):
                return f"{len(got)} bytes, not {len(want)}", got
            i = first_difference(self.library, row.dtype, out.elements, want, got, relative, absolute)
            return (None if i < 0 else f"element {i} is not Portacl's"), got
        for i in range(0, out.elements, max(1, out.elements // CHECKED_BY_FORMULA)):
            exact, value = operator.expected(operands[:-1], attributes, i), out(i)
            if not is_close(value, exact, relative, absolute):
                return f"element {i} is {value}, the formula gives {exact}", got
        return None, got

    def wait_for_idle_threads(self):
        """Threads of GNU OpenMP turn round 300,000 times after a call before they sleep, 8 ms on a Zen 3."""
        for _ in range(MOST_RESTS):
            begin = time.process_time()    # of all threads, at a tick of the system's clock, every 4 ms
            time.sleep(self.rest)
            if time.process_time() - begin < self.rest / 8:
                break

    def sample(self, contestant, calls):
        """Seconds of one call."""
        self.wait_for_idle_threads()
        if calls > 1:
            contestant.time(max(1, calls // 3))    # its own threads wake up, which may take 1 ms, its code is in the cache
        seconds = contestant.time(calls)
        if seconds < 0:
            raise RuntimeError(f"{contestant.name}: a call failed while it was timed")
        return seconds / calls

    def calibrate(self, contestant):
        calls = 1
        while (seconds := contestant.time(calls)) < self.plan["sample_seconds"]:
            calls = max(calls + 1, min(10 * calls, int(1.2 * calls * self.plan["sample_seconds"] / max(seconds, 1e-9))))
        return calls

    def rounds(self, contestants):
        """Seconds of one call: of every contestant, in every round."""
        calls = [self.calibrate(contestant) for contestant in contestants]
        samples = {contestant.name: [] for contestant in contestants}
        for turn in range(self.plan["rounds"]):
            for i in range(len(contestants)):
                i = (i + turn) % len(contestants)    # nobody always follows the same neighbour
                samples[contestants[i].name].append(self.sample(contestants[i], calls[i]))
        return samples

    def undisturbed_rounds(self, contestants):
        """(samples, spread, attempts): repeated while the spread shows other load; of several attempts the quietest."""
        best = None
        for attempt in range(1, self.plan["attempts"] + 1):
            samples = self.rounds(contestants)
            spread = max(percentile(values, 0.9) / percentile(values, 0.1) for values in samples.values())
            if best is None or spread < best[1]:
                best = samples, spread
            if spread <= self.spread_bound:
                break
        return *best, attempt

    def each_time(self, contestant, calls):
        self.wait_for_idle_threads()
        return contestant.time_each(calls)

    def each_call(self, contestants):
        """Percentiles of single calls while other processes keep all cores but one busy."""
        calls = self.plan["loaded_calls"]
        quiet = {contestant.name: statistics.median(self.each_time(contestant, calls)) for contestant in contestants}
        load = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                for _ in range(max(1, len(os.sched_getaffinity(0)) - 1))]
        try:
            time.sleep(0.2)
            times = {contestant.name: self.each_time(contestant, calls) for contestant in contestants}
        finally:
            for process in load:
                process.kill()
                process.wait()
        return {name: {"quiet_s": quiet[name], "p50_s": percentile(values, 0.5), "p90_s": percentile(values, 0.9),
                       "p99_s": percentile(values, 0.99)} for name, values in times.items()}

    def measure(self, operator, row):
        data = next(data for data in operator.data if data.name == row.data)
        attributes = self.named_shape(operator, row).attributes if row.kind == "shape" else data.attributes
        operands = self.operands(operator, row)
        for seed, (operand, value) in enumerate(zip(operands, data.values)):
            operand.draw(value, random.Random(seed))
        if operator.complete is not None:
            operator.complete(self.library, operands)
        contestants, refused = self.contestants(operator, row, operands, attributes)
        result = {**dataclasses.asdict(row), "threads": self.threads, "refused": refused,
                  "traffic_bytes": sum(operand.elements * DTYPES[operand.dtype].bytes for operand in operands),
                  "touched_bytes": sum(operand.touched_bytes() for operand in operands)}
        accepted, want = [], None
        for contestant in contestants:
            if isinstance(contestant, StreamContestant):
                accepted.append(contestant)
                continue
            why, got = self.refusal(operator, row, operands, attributes, contestant, want)
            if why:
                refused[contestant.name] = why
            else:
                accepted.append(contestant)
            if contestant.name == "Portacl":
                want = got
                if why:
                    break    # nothing to compare with
        if "Portacl" not in refused and row.kind == "loaded":
            result["loaded"] = self.each_call(accepted)
        elif "Portacl" not in refused:
            samples, spread, attempts = self.undisturbed_rounds(accepted)
            result.update(samples=samples, spread=spread, attempts=attempts, disturbed=spread > self.spread_bound)
        result["notes"] = {c.name: c.note for c in accepted if getattr(c, "note", "")}
        for item in [*contestants, *operands]:
            item.release()
        return result


def main(settings_path, result_path):
    settings = json.loads(pathlib.Path(settings_path).read_text(encoding="utf-8"))
    bench = Bench(settings)
    results = []
    for operator in all_operators():
        if settings["operators"] and operator.api not in settings["operators"]:
            continue
        for row in rows_of(operator, settings["kinds"], bench.plan):
            if any(settings.get(key) and value not in settings[key] for key, value in (("dtypes", row.dtype), ("labels", row.label))):
                continue
            begin = time.monotonic()
            results.append(bench.measure(operator, row))
            seconds = time.monotonic() - begin
            print(f"{bench.threads} threads, {row.title()}: {seconds:.1f} s", file=sys.stderr, flush=True)
    peers = {name: peer.versions() for name, peer in (("PyTorch", bench.peer), ("oneDNN", bench.onednn)) if peer}
    text = json.dumps({"target": bench.library.target(), "peers": peers, "rows": results})
    pathlib.Path(result_path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
