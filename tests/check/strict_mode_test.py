#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strict mode and schedules, on programs with one mistake each and on the same programs without it.

Usage: strict_mode_test.py FOLDER LINES WHICH

FOLDER: the folder of the programs that are built from the sources next to this file. LINES: 1 if the toolkit can report source lines of programs. WHICH: `waiting` for tests that mainly wait, `timed` for the others.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CLIENT = RACES = SILENT = TOUCHES = ""
FOLDER = pathlib.Path()
LINES = True
SLOW = "PORTACL_SLOW" in os.environ  # a sanitizer's build, where a run takes a second, so there are fewer runs
SOURCES = [pathlib.Path(__file__).with_name(f"{name}_client.cc") for name in ("check", "object", "operator", "order", "touch")]
CASES = {case: source.stem for source in SOURCES for case in re.findall(r'\{"([a-z0-9-]+)", [A-Z]\w*\}', source.read_text(encoding="utf-8"))}
KINDS = {
    "uninitialized": "uninitialized", "freed": "freed", "freed-before": "freed", "host-changed": "host-memory", "host-freed": "host-memory",
    "race": "race", "race-of-columns": "race", "unwaited": "unwaited", "workspace": "workspace", "workspace-too-small": "workspace",
    "leak": "leak", "leak-of-tensor": "leak", "leak-of-executor": "leak", "destroyed": "destroyed", "destroyed-tensor": "destroyed",
    "status": "status", "status-of-results": "status", "overlap": "overlap", "product": "product", "product-without-operator": "product",
    "device-read": "host-access", "device-written": "host-access", "device-copied": "host-access", "target-read": "unwaited",
    "target-written": "unwaited",
    "destroyed-scalar": "destroyed", "destroyed-array": "destroyed", "destroyed-twice": "destroyed", "destroyed-context": "destroyed",
    "freed-twice": "freed", "leak-of-repeatable": "leak", "source-of-rows": "host-memory", "overlap-transposed": "overlap",
    "uninitialized-add": "uninitialized", "uninitialized-muls": "uninitialized", "uninitialized-relu": "uninitialized",
    "uninitialized-addmm": "uninitialized", "uninitialized-copy": "uninitialized",
    "uninitialized-behind-result": "uninitialized", "status-in-place": "status",
    "freed-behind-function": "freed", "read-behind-function": "unwaited", "target-behind-function": "unwaited", "source-behind-function": "host-memory",
    "notify-of-nothing": "uninitialized", "number-of-nothing": "uninitialized",
}
# Programs without a mistake.
RIGHT = ("other-parts", "there-and-back", "source-after-event", "signals", "told-by-function", "told-by-notify", "forks", "many-blocks",
         "filled-by-function", "callbacks-read-in-turns", "functions-read-in-turns", "read-while-queued", "dropped-reader")


def run(program, *arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PORTACL_")} | variables
    if pathlib.Path(program).name in ("touch_client", "order_client"):
        # A fault is reported in its handler, by a thread that holds no lock of the C library: ThreadSanitizer need not
        # warn of allocations there.
        environment["TSAN_OPTIONS"] = environment.get("TSAN_OPTIONS", "") + " report_signal_unsafe=0"
    if arguments[:2] == ("leak", "faulty"):
        # The leak is intended; LeakSanitizer, which sees the descriptors of the block, need not report it.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + " detect_leaks=0"
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=False)


def asked(case):
    return "Ascend310P" if case.startswith("product") else ""


def program(case):
    return str(FOLDER / CASES[case])


def marked(word, case):
    """The lines that a report of the case must name as `word`: each follows its mark."""
    return [(source.name, number + 1) for source in SOURCES for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1)
            if re.search(rf"// {word} {case}$", line)]


class CheckTest(unittest.TestCase):
    def repeat(self, case, mode="faulty"):
        return f"repeat it with: PORTACL_CHECK=1 PORTACL_SOC_REPORT={asked(case)} {program(case)} {case} {mode}"

    def test_every_case_of_the_program_is_listed(self):
        self.assertEqual(sorted(CASES), sorted([*KINDS, *RIGHT]))

    def test_mistakes_are_found_once_with_both_lines(self):
        for case, kind in KINDS.items():
            with self.subTest(case), tempfile.TemporaryDirectory() as folder:
                report = pathlib.Path(folder) / "report.json"
                done = run(program(case), case, "faulty", PORTACL_CHECK="error", PORTACL_CHECK_REPORT=str(report), PORTACL_SOC_REPORT=asked(case))
                self.assertEqual(done.returncode, 99, done.stderr + self.repeat(case))
                self.assertEqual(re.findall(r"(?m)^portacl: check: ([a-z-]+): ", done.stderr), [kind], done.stderr + self.repeat(case))
                written = json.loads(report.read_text(encoding="utf-8"))
                (found,) = written["reports"]
                self.assertEqual(written["undeclared"], 0, self.repeat(case))
                self.assertEqual((found["kind"], found["count"]), (kind, 1), self.repeat(case))
                self.assertNotIn("the library", found["what"], self.repeat(case))
                if not LINES:
                    continue
                for word in ("here", "there"):
                    lines = marked(word, case)
                    if lines:
                        place = found[word]
                        self.assertEqual([(pathlib.Path(place["file"]).name, place["line"])], lines, self.repeat(case))

    def test_the_same_made_right_is_silent(self):
        for case in KINDS:
            with self.subTest(case):
                done = run(program(case), case, "right", PORTACL_CHECK="error", PORTACL_SOC_REPORT=asked(case))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), self.repeat(case, "right"))

    def test_reports_leave_the_exit_code_alone(self):
        self.assertEqual(run(CLIENT, "leak", "faulty", PORTACL_CHECK="1").returncode, 0)

    def test_nothing_is_said_without_the_variable(self):
        for variables in ({}, {"PORTACL_CHECK": "0"}, {"PORTACL_CHECK": "maybe"}):
            self.assertEqual(run(CLIENT, "leak", "faulty", **variables).stderr, "")

    def test_suppressions_by_kind_and_function(self):
        if LINES:
            self.assertEqual(run(CLIENT, "leak", "faulty", PORTACL_CHECK="error", PORTACL_CHECK_SUPPRESS="leak:Leak").returncode, 0)
        for suppressed, is_silent in (("leak:*", True), ("*:*", True), ("race:*,leak:*", True), ("leak:Other", False),
                                      ("race:*", False), ("", False), (",:,leak", False)):
            done = run(CLIENT, "leak", "faulty", PORTACL_CHECK="error", PORTACL_CHECK_SUPPRESS=suppressed)
            self.assertEqual(done.returncode, 0 if is_silent else 99, suppressed + done.stderr)

    def test_refusals_are_reported_once_an_soc(self):
        for socs, refusing in (("Ascend310P3,Ascend910", ["Ascend910", "Ascend310P"]), ("Ascend950", []), ("Ascend910B1,", []), (",", None),
                               ("Ascend310P,Turing", None), ("Ascend310P Ascend910", None)):
            done = run(CLIENT, "product", "faulty", PORTACL_CHECK="1", PORTACL_SOC_REPORT=socs)
            self.assertEqual(done.returncode, 0, done.stderr)
            if refusing is None:
                self.assertRegex(done.stderr, r"^\[ERROR\] PORTACL\(\d+\) environment variable PORTACL_SOC_REPORT: expected a comma list of Ascend910B, .*, "
                                 rf"got '{socs}'; no SoC is asked about\n$")
                continue
            self.assertEqual(re.findall(r"(?m)^portacl: check: product: (\w+) refuses this call with 161002: aclnnSigmoid: ", done.stderr), refusing)

    def test_a_report_that_cannot_be_written_is_one_line(self):
        for path in ("/no/folder/report.json", "/dev/full", "."):
            done = run(CLIENT, "leak", "right", PORTACL_CHECK="1", PORTACL_CHECK_REPORT=path)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"^portacl: PORTACL_CHECK_REPORT: expected a file that can be written, got '.*': .*\n$")


class SilentTest(unittest.TestCase):
    def test_ten_threads_on_sixteen_streams(self):
        # With a schedule the program waits most of the time, so all runs are started together.
        schedules = ({}, {"PORTACL_SCHEDULE": "1"}, {"PORTACL_SCHEDULE": "2"})
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in pool.map(lambda variables: run(SILENT, PORTACL_CHECK="error", **variables), schedules):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), f"repeat it with: PORTACL_CHECK=error {SILENT}")


class TouchTest(unittest.TestCase):
    def test_touches_that_are_right_are_silent_and_declared(self):
        for case in (*RIGHT, "own-fault"):
            with self.subTest(case), tempfile.TemporaryDirectory() as folder:
                report = pathlib.Path(folder) / "report.json"
                client = program(case) if case in CASES else TOUCHES
                done = run(client, case, "right", PORTACL_CHECK="error", PORTACL_CHECK_REPORT=str(report))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), f"repeat it with: PORTACL_CHECK=error {client} {case} right")
                self.assertEqual(json.loads(report.read_text(encoding="utf-8")), {"reports": [], "suppressed": 0, "undeclared": 0}, case)

    def test_what_a_task_writes_into_a_source_is_no_change(self):
        for seed in range(1, 4 if SLOW else 9):
            done = run(TOUCHES, "there-and-back", "right", PORTACL_CHECK="error", PORTACL_SCHEDULE=str(seed))
            self.assertEqual((done.returncode, done.stderr), (0, ""), seed)

    def test_a_fault_of_the_program_ends_it_as_before(self):
        for variables in ({}, {"PORTACL_CHECK": "1"}):
            done = run(TOUCHES, "own-end", "right", **variables)
            self.assertEqual(done.returncode, run(TOUCHES, "own-end", "right").returncode, done.stderr)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotIn("portacl: check", done.stderr)


class ScheduleTest(unittest.TestCase):
    CASES = ("reads-too-early", "forgets-the-event", "reuses-the-buffer", "records-too-early", "overwrites-too-early")

    def result(self, case, seed):
        # The races are intended; ThreadSanitizer need not report them.
        done = run(RACES, case, PORTACL_SCHEDULE=str(seed), TSAN_OPTIONS=os.environ.get("TSAN_OPTIONS", "") + " report_bugs=0")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def shows(self, case, seed):
        """Whether the race always shows with the seed, and in the same way. It may show by chance with other seeds, too."""
        first = self.result(case, seed)
        return first != "1\n" and all(self.result(case, seed) == first for _ in range(2 if SLOW else 9))

    def test_a_race_shows_within_20_seeds_and_again_with_its_seed(self):
        for case in self.CASES:
            with self.subTest(case):
                self.assertTrue(any(self.shows(case, seed) for seed in range(20)), f"no seed below 20 shows it: PORTACL_SCHEDULE=... {RACES} {case}")

    def test_what_the_program_orders_stays_in_order(self):
        for seed in range(5 if SLOW else 20):
            done = run(CLIENT, "race", "right", PORTACL_SCHEDULE=str(seed), PORTACL_CHECK="error")
            self.assertEqual((done.returncode, done.stderr), (0, ""), seed)


if __name__ == "__main__":
    FOLDER = pathlib.Path(sys.argv[1])
    CLIENT, RACES, SILENT, TOUCHES = (str(FOLDER / f"{name}_client") for name in ("check", "schedule", "silent", "touch"))
    LINES = sys.argv[2] == "1"
    TESTS = [name for name, of in list(globals().items()) if isinstance(of, type) and issubclass(of, unittest.TestCase)
             and (of is SilentTest) == (sys.argv[3] == "waiting")]
    unittest.main(argv=[sys.argv[0], *TESTS])
