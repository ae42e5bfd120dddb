#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The instrument in its quickest form, without peers: what it writes is consistent, and wrong results are refused.

    compare_test.py libportacl_bench.so
"""
import dataclasses
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from compare import add_earlier    # noqa: E402
from ctc_growth import AXES    # noqa: E402
from machine import machine_line    # noqa: E402
from measure import Bench    # noqa: E402
from native import Library, PortaclContestant, StreamContestant, Tensor, first_difference    # noqa: E402
from operator_table import DTYPES, all_operators, decode, encode    # noqa: E402
from report import markdown, processor, refused_table, undisturbed    # noqa: E402
from rows import Row, rows_of    # noqa: E402

LIBRARY = pathlib.Path(sys.argv.pop())
FLOATS = [dtype for dtype in DTYPES if dtype != "BOOL"]


class Report(unittest.TestCase):
    """One run of bench/compare.py."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "kept"
            kept.mkdir()
            (kept / "speed.json").write_text(json.dumps([{"operator": "aclnnLogit", "dtype": dtype, "seconds": 0,
                                                          "processor": processor(machine_line()), "target": target}
                                                         for dtype, target in (("FLOAT", Library(LIBRARY).target()), ("DOUBLE", "AVX9"))]), encoding="utf-8")
            run = subprocess.run(
                [sys.executable, str(HERE / "compare.py"), "--plan", "tiny", "--without-torch", "--without-onednn", "--threads", "1,2", "--spread", "1e9",
                 "--rest", "0.0005", "--library", str(LIBRARY), "--output", folder, "--into", str(kept)],
                capture_output=True, text=True, check=False)
            assert run.returncode == 0, run.stdout + run.stderr
            cls.results = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))
            cls.kept = next(kept.glob(f"{cls.results['date'][:10]}-*-{cls.results['target']}.md")).read_text(encoding="utf-8")
            cls.speed = json.loads((kept / "speed.json").read_text(encoding="utf-8"))
            cls.markdown = (pathlib.Path(folder) / "results.md").read_text(encoding="utf-8")

    def test_has_every_kind_of_row_for_every_operator_and_thread_count(self):
        found = {(row["kind"], row["operator"], row["threads"]) for row in self.results["rows"]}
        for operator in all_operators():
            # Layouts are those of operands that are all alike.
            kinds = ("size", "overhead", "growth", "loaded") + (("layout",) if operator.shapes is None else ())
            kinds += ("shape",) if operator.named_shapes else ()
            for kind in kinds:
                self.assertLessEqual({(kind, operator.api, 1), (kind, operator.api, 2)}, found)

    def test_figures_follow_from_the_samples(self):
        rows = [row for row in self.results["rows"] if row["kind"] == "size"]
        self.assertTrue(rows)
        for row in rows:
            ours = row["samples"]["Portacl"]
            self.assertEqual(len(ours), self.results["rounds"])
            self.assertEqual(row["contestants"]["Portacl"]["ratio"], 1)
            self.assertAlmostEqual(row["contestants"]["Portacl"]["gb_per_s"] * statistics.median(ours) * 1e9,
                                   row["traffic_bytes"], delta=1)
            fractions = [statistics.median(a / b for a, b in zip(row["samples"][name], ours))
                         for name in ("stream", "non-temporal stream")]
            self.assertIn(row["ceiling"]["fraction"], fractions)
            self.assertEqual(row["ceiling"]["gb_per_s"],
                             max(row["contestants"][name]["gb_per_s"] for name in ("stream", "non-temporal stream")))
            self.assertEqual(row["disturbed"], row["spread"] > self.results["spread_bound"])

    def test_markdown_shows_machine_command_and_a_line_for_every_row(self):
        for text in (self.results["machine"], self.results["command"].strip(), self.results["target"]):
            self.assertIn(" ".join(text.split()), " ".join(self.markdown.split()))
        lines = [line for line in self.markdown.splitlines() if line.startswith("| aclnn")]
        # A loaded row has a line for each contestant, which is Portacl alone.
        self.assertEqual(len(lines), len(self.results["rows"]))

    def test_keeps_the_report_and_a_row_of_each_operator_and_dtype(self):
        self.assertEqual(self.kept, markdown(undisturbed(self.results)))
        self.assertNotIn(" * |", self.kept)
        keys = [(row["operator"], row["dtype"]) for row in self.speed]
        self.assertEqual(keys, sorted({(operator.api, dtype) for operator in all_operators() for dtype in operator.dtypes}
                                      | {("aclnnLogit", "DOUBLE")}))
        for row in self.speed:
            self.assertEqual(row["seconds"] == 0, row["dtype"] == "DOUBLE", row)


class CtcGrowth(unittest.TestCase):
    def test_measures_both_operators_at_every_size(self):
        run = subprocess.run([sys.executable, str(HERE / "ctc_growth.py"), "--library", str(LIBRARY), "--rounds", "1", "--most", "50"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        sizes = [line.split()[:2] for line in run.stdout.splitlines()[1:]]
        self.assertEqual(sizes, [[axis, f"{value}:"] for axis, values in AXES.items() for value in values if value <= 50])
        for line in run.stdout.splitlines()[1:]:
            self.assertRegex(line, r"for each +[0-9.]+ us \(loss\) +[0-9.]+ us \(gradient\)$")


class InPieces(unittest.TestCase):
    """A report that several runs make together."""

    @staticmethod
    def row(operator, **other):
        return {"kind": "size", "operator": operator, "dtype": "FLOAT", "data": "uniform", "label": "L2", "threads": 1, **other}

    def test_keeps_rows_that_are_not_measured_again(self):
        def results(rows, **other):
            return {"machine": "m", "commit": "c", "plan": "full", "rounds": 15, "target": "t", "load_before": 1, "peers": {}, "rows": rows,
                    **other}

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            kept = [self.row("a", n=1), self.row("b", n=1, label="L3"), self.row("b", n=1)]
            path.write_text(json.dumps(results(kept)), encoding="utf-8")
            new = results([self.row("b", n=2)])
            add_earlier(new, path)
            self.assertEqual(new["rows"], [*kept[:2], self.row("b", n=2)])
            with self.assertRaisesRegex(SystemExit, "another commit"):
                add_earlier(results([], commit="d"), path)

    def test_leaves_out_disturbed_rows_and_counts_them(self):
        rows = [self.row("a", disturbed=True), self.row("b", disturbed=False), self.row("c")]
        self.assertEqual(undisturbed({"rows": rows}), {"rows": rows[1:], "left_out": 1})


class Refused(unittest.TestCase):
    """The report's list of contestants that were not timed."""

    def test_reports_rows_that_refuse_a_contestant_alike_in_one_line(self):
        row = {"operator": "aclnnA", "dtype": "FLOAT", "data": "uniform", "refused": {"oneDNN": "no such call"}}
        lines = refused_table([{**row, "label": label} for label in ("L2", "L3", "L2")]).splitlines()
        self.assertEqual(lines[2:], ["| aclnnA | FLOAT | oneDNN | no such call | uniform L2, uniform L3 |"])


class Judge(unittest.TestCase):
    """Who may be timed."""

    def setUp(self):
        self.bench = Bench({"threads": 1, "plan": "tiny", "spread_bound": 2, "rest": 0, "torch": False,
                            "onednn": "", "library": LIBRARY})
        self.operator = next(operator for operator in all_operators() if operator.api == "aclnnLogitGrad")
        self.row = Row("size", "aclnnLogitGrad", "FLOAT", "uniform", 1000, "L2")

    def measure(self, **changes):
        return self.bench.measure(dataclasses.replace(self.operator, **changes), self.row)

    def test_times_portacl_when_its_results_follow_the_formula(self):
        result = self.measure()
        self.assertEqual(result["refused"], {})
        self.assertIn("Portacl", result["samples"])

    def test_refuses_portacl_when_its_results_do_not(self):
        right = self.operator.expected
        result = self.measure(expected=lambda inputs, attributes, i: 1.001 * right(inputs, attributes, i))
        self.assertIn("Portacl", result["refused"])
        self.assertNotIn("samples", result)

    def test_refuses_a_peer_whose_results_differ(self):
        data = self.operator.data[0]
        operands = self.bench.operands(self.operator, self.row)
        for operand, value in zip(operands, data.values):
            operand.draw(value, random.Random(1))
        right = PortaclContestant(self.bench.library, self.operator, operands, data.attributes)
        # With eps = 0.4 most of the results are 0.
        wrong = PortaclContestant(self.bench.library, self.operator, operands, (0.4,))

        def judge(contestant, want):
            return self.bench.refusal(self.operator, self.row, operands, data.attributes, contestant, want)

        why, want = judge(right, None)
        self.assertIsNone(why)
        self.assertIsNone(judge(right, want)[0])
        self.assertIn("is not Portacl's", judge(wrong, want)[0])
        right.time = lambda calls: 0.0    # does not run: the output keeps what was there
        self.assertIn("is not Portacl's", judge(right, want)[0])

    def test_compares_with_a_tolerance_and_takes_nan_for_nan(self):
        nan = float("nan")
        for want, got, index in (((1, nan, 3), (1, nan, 3.001), -1), ((1, 2, 3), (1, 2, 3.1), 2), ((nan,), (1,), 0),
                                 ((float("inf"),), (float("inf"),), -1), ((float("inf"),), (3e38,), 0)):
            for dtype in FLOATS:
                if dtype == "FLOAT16" and 3e38 in got:
                    continue
                self.assertEqual(first_difference(self.bench.library, dtype, len(want), encode(dtype, want),
                                                  encode(dtype, got), 0.01, 0), index, (dtype, want, got))


ONEDNN = LIBRARY.with_name("libonednn_bench.so")


@unittest.skipUnless(ONEDNN.exists(), "oneDNN is not installed")
class OnednnPeer(unittest.TestCase):
    """Calls that oneDNN has as well."""

    def test_agrees_with_portacl_and_names_its_kernel(self):
        bench = Bench({"threads": 1, "plan": "tiny", "spread_bound": 2, "rest": 0, "torch": False,
                       "onednn": str(ONEDNN), "library": LIBRARY})
        for operator in all_operators():
            for row in rows_of(operator, ("size",), bench.plan):
                result = bench.measure(operator, row)
                has = bool(operator.onednn) and row.data == operator.data[0].name
                self.assertEqual(has, "oneDNN" in {**result["samples"], **result["refused"]}, row.title())
                if has and row.dtype == "FLOAT":    # which it has kernels for on every processor
                    self.assertIn("oneDNN", result["samples"], result["refused"])
                    self.assertIn(result["notes"]["oneDNN"], bench.onednn.versions()["kernels"])


class Fake:
    """A contestant whose calls take the given seconds, round after round."""

    def __init__(self, *seconds):
        self.name, self.seconds, self.samples = "Portacl", seconds, 0

    def time(self, calls):
        self.samples += 1
        return calls * self.seconds[self.samples % len(self.seconds)]


class Rounds(unittest.TestCase):
    """How often a row is measured."""

    def setUp(self):
        self.bench = Bench({"threads": 1, "plan": "tiny", "spread_bound": 1.25, "rest": 0, "torch": False,
                            "onednn": "", "library": LIBRARY})
        self.bench.plan = {**self.bench.plan, "rounds": 10, "attempts": 3}

    def test_measures_a_quiet_row_once(self):
        samples, spread, attempts = self.bench.undisturbed_rounds([Fake(0.1)])
        self.assertEqual((spread, attempts, len(samples["Portacl"])), (1, 1, 10))

    def test_repeats_a_disturbed_row_until_attempts_run_out(self):
        _, spread, attempts = self.bench.undisturbed_rounds([Fake(0.1, 0.2)])
        self.assertAlmostEqual(spread, 2)
        self.assertEqual(attempts, 3)

    def test_keeps_the_quietest_attempt(self):
        # One sample to calibrate, ten to measure: the second attempt is quiet.
        _, spread, attempts = self.bench.undisturbed_rounds([Fake(*[0.1, 0.2] * 5, 0.1, *[0.1] * 11)])
        self.assertEqual((spread, attempts), (1, 2))


class Memory(unittest.TestCase):
    """Tensors and stream kernels."""

    def setUp(self):
        self.library = Library(LIBRARY)

    def test_decodes_what_it_encodes(self):
        for dtype in FLOATS:
            self.assertEqual(decode(dtype, encode(dtype, (1, -0.5, 3.140625))), (1, -0.5, 3.140625))
        self.assertEqual(decode("BOOL", encode("BOOL", (1, 0, 7))), (1, 0, 1))
        self.assertEqual(encode("BFLOAT16", (1 + 2**-8, 1 + 3 * 2**-8)), encode("BFLOAT16", (1, 1 + 2**-6)))

    def test_finds_elements_of_a_strided_view(self):
        tensor = Tensor(self.library, "FLOAT", (2, 3), (1, 2))
        tensor.fill(encode("FLOAT", range(6)))
        self.assertEqual([tensor(i) for i in range(6)], [0, 2, 4, 1, 3, 5])
        self.assertEqual(decode("FLOAT", tensor.gather().raw), (0, 2, 4, 1, 3, 5))

    def test_counts_the_cache_lines_of_a_view(self):
        for shape, strides, lines in (((64, 64), (64, 1), 256), ((64, 64), (1, 64), 256), ((64, 64), (128, 1), 256),
                                      ((64, 64), (192, 3), 768), ((64, 64), (2048, 32), 4096)):
            tensor = Tensor(self.library, "FLOAT", shape, strides)
            self.assertEqual(tensor.touched_bytes(), 64 * lines, (shape, strides))

    def test_stream_kernels_read_and_write_every_byte(self):
        for reads, writes in ((1, 1), (2, 1), (3, 1), (3, 2)):
            for threads in (1, 2, 3):
                for non_temporal in (False, True):
                    streams = [Tensor(self.library, "FLOAT", (5000,)) for _ in range(reads + writes)]
                    for seed, stream in enumerate(streams):
                        stream.fill(random.Random(seed).randbytes(997))
                    want = bytes(streams[0].gather().raw)
                    for stream in streams[1:reads]:
                        want = bytes(a ^ b for a, b in zip(want, stream.gather().raw))
                    kernel = StreamContestant(self.library, streams, reads, writes, threads, non_temporal)
                    self.assertGreater(kernel.time(3), 0)
                    for stream in streams[reads:]:
                        self.assertEqual(stream.gather().raw, want, (reads, writes, threads, non_temporal))


if __name__ == "__main__":
    unittest.main()
