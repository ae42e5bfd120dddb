#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts that need no PyTorch: the statistics of rounds, resuming a run, the stream kernels, the reports, the scripts.

    bench_test.py libstream_bench.so
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import chart    # noqa: E402
from ceiling import BLOCK, Ceiling, Memory    # noqa: E402
from report import BEGIN, END, markdown, publish, summary    # noqa: E402
from session import Session    # noqa: E402
from timing import measure, paired, spread    # noqa: E402

LIBRARY = pathlib.Path(sys.argv.pop())
MACHINE = "AMD EPYC (family 25, model 17), 2 cores"


class Rounds(unittest.TestCase):
    """The number of times a row is measured."""

    PLAN = {"rounds": 10, "sample": 0, "longest": 1e9, "attempts": 3}

    def measure(self, *seconds):
        """Samples of a contestant whose calls take these seconds, cyclically; the first two calls calibrate."""
        now, calls = 0, -2

        def clock():
            return now

        def contestant(times):
            nonlocal now, calls
            now += times * seconds[max(calls, 0) % len(seconds)]
            calls += 1
        return measure([contestant], self.PLAN, clock=clock), calls

    def test_measures_a_quiet_row_once(self):
        samples, calls = self.measure(1)
        self.assertEqual((len(samples[0]), spread(samples), calls), (10, 1, 10))

    def test_repeats_a_disturbed_row_until_attempts_run_out(self):
        samples, calls = self.measure(1, 2)
        self.assertEqual((len(samples[0]), spread(samples), calls), (10, 2, 34))

    def test_keeps_the_quietest_attempt(self):
        samples, calls = self.measure(*[1, 2] * 5, *[1] * 12)
        self.assertEqual((spread(samples), calls), (1, 22))

    def test_compares_within_rounds(self):
        self.assertEqual(paired([2, 4, 60], [1, 2, 3]), 2)


class Streams(unittest.TestCase):
    def test_kernels_read_and_write_every_byte(self):
        for reads in range(1, 6):
            for writes in range(3):
                for threads in (1, 2, 3):
                    for non_temporal in (False, True):
                        memories = [Memory(20 * BLOCK) for _ in range(reads + writes)]
                        for seed, memory in enumerate(memories):
                            memory.bytes[:] = numpy.random.default_rng(seed).integers(0, 256, len(memory.bytes))
                        streams = [(memory.address, 20 * BLOCK) for memory in memories]
                        Ceiling(streams[:reads], streams[reads:], threads, non_temporal, LIBRARY)(3)
                        used = [memory.bytes[memory.address - memory.bytes.ctypes.data:][:20 * BLOCK] for memory in memories]
                        for written in used[reads:]:
                            right = written == numpy.bitwise_xor.reduce(used[:reads])
                            self.assertTrue(right.all(), (reads, writes, threads, non_temporal))

    def test_refuses_more_streams_than_there_are_kernels_for(self):
        memories = [Memory(BLOCK) for _ in range(6)]
        with self.assertRaises(RuntimeError):
            Ceiling([(memory.address, BLOCK) for memory in memories], [], 1, False, LIBRARY)(1)


def row(title, dtype="FLOAT", errors=(0.5, 1.5), **sizes):
    return {"family": "unary", "row": title, "dtype": dtype, "errors": list(errors), "sizes": sizes}


def size(ratio, spread=1.0, **rest):
    return {"elements": 9, "ours_s": 2e-6, "theirs_s": ratio * 2e-6, "ratio": ratio, "spread": spread, **rest}


def results(*rows, **rest):
    return {"machine": MACHINE, "commit": "c", "target": "AVX3", "pytorch": "2", "date": "2026-11-29T01:02:03+00:00", "load_before": 0,
            "command": "bench/run", "rounds": 9, "clock": "clock", "rows": list(rows), "failed": [], **rest}


class Reports(unittest.TestCase):
    def test_show_times_peers_disturbances_and_the_ceiling(self):
        text = markdown(results(row("aclnnA", one=size(9), L2=size(1.5), memory=size(0.5, 2.0, peers={"oneDNN": 0.7}, fraction=0.9))))
        self.assertIn("| aclnnA | FLOAT | 2 us (9.00) | 2 us (1.50) | 2 us (0.50, oneDNN 0.70 *) | 0.5 | 1.5 |", text)
        self.assertIn("- aclnnA FLOAT memory 0.50\n", text)
        self.assertIn("| aclnnA | 0.90 * |", text)

    def test_count_calls_of_one_element_apart(self):
        text = summary(results(row("aclnnA", one=size(9), L2=size(1.5)), failed=[{"row": "aclnnB", "dtype": "FLOAT", "why": "b"}]))
        self.assertIn("1 rows, 1 times: the median is 1.50 times", text)
        self.assertIn("a call of one element: 2 us, the median of 1 rows; PyTorch 18 us", text)
        self.assertIn("1 rows failed", text)

    def test_are_published_by_processor(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "benchmarks"
            kept.mkdir()
            for name in ("1-25-17.md", "2-6-167.md"):
                (kept / name).touch()
            page = pathlib.Path(folder) / "benchmarks.md"
            others = "- b\n- every row: [1](benchmarks/1-25-17.md)\n\n- c\n- every row: [2](benchmarks/2-6-167.md)\n"
            page.write_text(f"a\n{BEGIN}{others}{END}z\n", encoding="utf-8")
            publish(kept, results(row("aclnnA", L2=size(1))))
            text = page.read_text(encoding="utf-8")
            self.assertIn("(benchmarks/2026-11-29-25-17.md)", text)
            self.assertIn("(benchmarks/2-6-167.md)", text)
            self.assertNotIn("(benchmarks/1-25-17", text)
            self.assertTrue(text.startswith("a\n") and text.endswith("z\n"))
            self.assertEqual(sorted(path.name for path in kept.iterdir()), ["2-6-167.md", "2026-11-29-25-17.md"])
            self.assertIn("| aclnnA |", (kept / "2026-11-29-25-17.md").read_text(encoding="utf-8"))
            publish(kept, results(row("aclnnA", L2=size(1)), command="bench/run --avx2 --output a/b --resume"))
            text = page.read_text(encoding="utf-8")
            self.assertIn("(benchmarks/2026-11-29-25-17.md)", text)
            self.assertIn("(benchmarks/2026-11-29-25-17-avx2.md)", text)
            self.assertIn("`bench/run --avx2 --resume`", (kept / "2026-11-29-25-17-avx2.md").read_text(encoding="utf-8"))

    def test_exchange_the_rows_of_the_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "speed.json"
            ctc = "aclnnCtcLoss, T150 N32 C29 S30"
            old = [{"row": title, "dtype": "FLOAT", "processor": processor, "target": "AVX3", "seconds": 0, "date": "2026-11-01",
                    "peers": {"PyTorch": 1}, "errors": {"Portacl": 1, "PyTorch": 1}}
                   for title, processor in (("aclnnAdd", "25-17"), ("aclnnAdd", "6-167"), (ctc, "25-17"), ("aclnnGone", "25-17"))]
            path.write_text(json.dumps(old), encoding="utf-8")
            measured = [row("aclnnAdd", errors=(0, 0.5), L3=size(2, peers={"oneDNN": 3})),
                        row("aclnnAdd", L3=size(7, spread=2)), row("aclnnAdd, tiny", L3=size(4)),
                        row("aclnnB", L3=size(5)), row(ctc, given=size(6))]
            chart.keep(path.parent, results(*measured))
            rows = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual([(each["row"], each["processor"], each["peers"]) for each in rows],
                             [("aclnnAdd", "25-17", {"PyTorch": 2, "oneDNN": 3}), ("aclnnAdd", "6-167", {"PyTorch": 1}),
                              (ctc, "25-17", {"PyTorch": 6})])
            self.assertEqual(rows[0]["errors"], {"Portacl": 0, "PyTorch": 0.5})
            self.assertIn("CtcLoss FLOAT", chart.chart(rows))
            self.assertEqual([line.split(" | ")[2:6] for line in chart.summary(rows).splitlines()[2:]],
                             [["25-17", "2 us", "", "2.00"], ["25-17", "2 us", "", "6.00"]])


class Resume(unittest.TestCase):
    """A run that is stopped, and a second one that resumes it."""

    WANTED = [{"row": name, "dtype": "FLOAT", "sizes": ["L2"], "with": ["errors"]} for name in ("aclnnA", "aclnnB", "aclnnC")]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "bench/results.json"
        self.asked, self.told, self.now = [], [], 0

    def run_rows(self, wanted=None, stop_at=None, fail_at=None, spread=1, resume=True, repeat=False, **facts):
        """Measures rows that take 100 s each; returns the content of the file afterwards."""
        def measure(each):
            if each["row"] == stop_at:
                raise KeyboardInterrupt
            self.asked.append(each["row"])
            self.extras = each["with"]
            self.now += 100
            if each["row"] == fail_at:
                raise RuntimeError("bad\nnews")
            return {**row(each["row"], **{label: size(1, spread) for label in each["sizes"]}), "with": each["with"]}
        session = Session(self.path, {key: value for key, value in results(**facts).items() if key != "rows"}, resume, repeat, lambda: self.now)
        try:
            session.run(wanted or self.WANTED, measure, lambda place, _: self.told.append(place))
        except KeyboardInterrupt:
            pass
        self.results = session.results
        return [each["row"] for each in json.loads(self.path.read_text(encoding="utf-8"))["rows"]] if self.path.exists() else None

    def test_measures_what_a_stopped_run_left(self):
        self.assertEqual(self.run_rows(stop_at="aclnnC"), ["aclnnA", "aclnnB"])
        self.assertEqual(self.run_rows(), ["aclnnA", "aclnnB", "aclnnC"])
        self.assertEqual(self.asked, ["aclnnA", "aclnnB", "aclnnC"])

    def test_begins_anew_unless_it_resumes(self):
        self.run_rows(stop_at="aclnnC")
        self.assertEqual(self.run_rows(stop_at="aclnnB", resume=False, commit="d"), ["aclnnA"])

    def test_tells_the_place_and_the_time_left(self):
        self.run_rows(stop_at="aclnnB")
        self.run_rows()
        self.assertEqual(self.told, ["[1 of 3]", "[2 of 3]", "[3 of 3, 2 min left]"])

    def test_notes_a_failure_and_tries_it_again(self):
        self.assertEqual(self.run_rows(fail_at="aclnnB"), ["aclnnA", "aclnnC"])
        self.assertEqual(self.results["failed"], [{"row": "aclnnB", "dtype": "FLOAT", "why": "bad"}])
        self.assertEqual(self.run_rows(), ["aclnnA", "aclnnC", "aclnnB"])
        self.assertEqual(self.results["failed"], [])

    def test_measures_again_what_more_is_wanted_of(self):
        self.run_rows()
        for key, value in (("sizes", ["L2", "L3"]), ("with", ["ceiling", "errors"])):
            self.asked.clear()
            more = {**self.WANTED[0], key: value}
            self.assertEqual(self.run_rows([more, *self.WANTED[1:]]), ["aclnnB", "aclnnC", "aclnnA"])
            self.assertEqual(self.asked, ["aclnnA"])

    def test_repeats_disturbed_rows_when_told_to_and_keeps_the_quieter_result(self):
        self.run_rows(spread=1.5)
        self.run_rows()
        for spread, kept in ((2, 1.5), (1.1, 1.1)):
            self.run_rows(self.WANTED[:1], spread=spread, repeat=True)
            self.assertEqual(self.results["rows"][-1]["sizes"]["L2"]["spread"], kept)
        self.run_rows(self.WANTED[:1], repeat=True)
        self.assertEqual(self.asked, ["aclnnA", "aclnnB", "aclnnC", "aclnnA", "aclnnA"])

    def test_repeats_a_row_as_it_was_measured(self):
        self.run_rows([{**self.WANTED[0], "with": ["ceiling", "errors"]}], spread=2)
        self.run_rows(self.WANTED[:1], repeat=True)
        self.assertEqual(self.extras, ["ceiling", "errors"])

    def test_refuses_results_of_another_commit_or_machine(self):
        self.run_rows()
        for key in ("commit", "machine", "pytorch", "target", "rounds", "clock"):
            with self.assertRaisesRegex(ValueError, f"its {key} is"):
                self.run_rows(**{key: "other"})


class CtcGrowth(unittest.TestCase):
    def test_measures_both_operators_at_every_size(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = pathlib.Path(folder) / "growth.svg"
            command = [sys.executable, str(HERE / "ctc_growth.py"), "--rounds", "1", "--most", "20", "--picture", str(drawn)]
            told = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(told.returncode, 0, told.stderr)
            circles = ElementTree.parse(drawn).getroot().findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 2 * 7)
        self.assertEqual(told.returncode, 0, told.stderr)
        lines = told.stdout.splitlines()[1:]
        wanted = [*(["samples", f"{n}:"] for n in (1, 2, 4, 8, 16)), ["classes", "20:"], ["labels", "10:"]]
        self.assertEqual([line.split()[:2] for line in lines], wanted)
        for line in lines:
            self.assertRegex(line, r"for each +[0-9.]+ us \(loss\) +[0-9.]+ us \(gradient\)$")


class FitTuning(unittest.TestCase):
    """The script that fits src/base/tuning.h."""

    def test_measures_every_number_of_the_table(self):
        header = (HERE.parent / "src/base/tuning.h").read_text(encoding="utf-8")
        fields = re.findall(r"^  (?:bool|double|int64_t) (\w+);", header, re.M)
        script = (HERE / "fit_tuning.py").read_text(encoding="utf-8")
        self.assertGreater(len(fields), 10)
        self.assertEqual([field for field in fields if f'"{field}"' not in script], [])

    # Calls planned with the values of PORTACL_TUNING, and a digest of their results.
    DIGEST = """
import hashlib, sys
sys.path[:0] = sys.argv[1:]
import fit_tuning, numpy, portacl
digest = hashlib.sha256()
for name in ("product 37", "product 70 half factor", "product 56 result", "weights 2", "weights 9", "convolution 64 28 32 3 neighbours",
             "convolution 32 64 16 1", "convolution 1 64 1 3", "scan", "sort"):
    operator, arguments, outputs = fit_tuning.case(name)
    results = portacl.run(operator, *arguments, **outputs)
    for result in results if isinstance(results, tuple) else (results,):
        digest.update(numpy.ascontiguousarray(result).tobytes())
print(digest.hexdigest())
"""

    def test_numbers_change_no_bits(self):
        many = ("product_ns", "short_register_product_ns", "quantized_weight_ns", "convolution_pixel_ns", "convolution_panel_ns", "scan_ns",
                "sort_ns")
        found = set()
        for threads, numbers in (("1", ""), ("2", "pack_transposed_cost=0.001,store_transposed_cost=1000,pack_while_multiplying_cost=100"),
                                 ("2", "pack_transposed_cost=1000,store_transposed_cost=0.001"), ("2", ",".join(f"{name}=100" for name in many)),
                                 ("2", ",".join(f"{name}=1e-9" for name in many) + ",weight_prefetch_bytes=64")):
            environment = {**os.environ, "PORTACL_NUM_THREADS": threads, "PORTACL_TUNING": numbers, "PORTACL_SOC": "Ascend910B1",
                           "PORTACL_DISABLE": "1"}
            command = [sys.executable, "-c", self.DIGEST, str(HERE), str(HERE.parent / "python")]
            told = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
            self.assertEqual(told.returncode, 0, told.stderr)
            found.add(told.stdout)
        self.assertEqual(len(found), 1)

    def test_prints_numbers_with_their_errors(self):
        command = [sys.executable, str(HERE / "fit_tuning.py"), "--rounds", "1", "--only", "others"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(told.returncode, 0, told.stderr)
        for name, text in zip(("core_bytes_per_ns", "scan_ns", "sort_ns"), told.stdout.splitlines()[1:], strict=True):
            self.assertRegex(text, rf"^    \.{name} = [0-9.e+-]+,  // \+-[0-9]+ %$")


if __name__ == "__main__":
    unittest.main()
