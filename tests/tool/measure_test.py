#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What portacl measures, and how it reports its progress.

Usage: measure_test.py SOURCE_FOLDER COMMAND...        COMMAND starts the program, perhaps under an emulator
"""

import os
import shutil
import subprocess
import sys
import unittest

from tool_case import COMMAND, ToolCase

SLOW = "PORTACL_SLOW" in os.environ
SIZES = ["L2"] if SLOW else ["L2", "L3", "DRAM"]
SIZE = ["--size", "L2"] if SLOW else []


class MeasureTest(ToolCase):
    def needs_speed(self):
        """Under an emulator, gigabytes take minutes, and their times have no meaning."""
        if len(COMMAND) > 1:
            self.skipTest("emulated")

    def test_bench(self):
        self.needs_speed()
        rows = self.json("bench", "aclnnLogitGrad", "--seconds", "0.01", *SIZE)
        self.assertEqual({row["size"] for row in rows}, set(SIZES))
        self.assertEqual({row["dtype"] for row in rows}, {"FLOAT", "FLOAT16", "BFLOAT16"})
        for row in rows:
            self.assertNotIn("problem", row)
            self.assertGreater(row["gb_per_s"], 0)
            self.assertGreater(row["ceiling_gb_per_s"], 0)
            self.assertLessEqual(row["seconds"]["low"], row["seconds"]["median"])
        for threads in (1, 2):
            rows = self.json("bench", "aclnnLogitGrad", "--seconds", "0.001", "--size", "L2", "--threads", str(threads))
            self.assertEqual({row["threads"] for row in rows}, {threads})

    def test_bench_of_every_operator(self):
        self.needs_speed()
        rows = self.json("bench", "--seconds", "0.000001")
        self.assertEqual([row["operator"] for row in rows], [row["operator"] for row in self.json("ops") if row["products"]["Ascend910B"] is not None])
        self.assertEqual({row["size"] for row in rows}, {"L2"})
        self.assertLessEqual(sum("problem" in row for row in rows), 3)
        self.assertEqual({row["dtype"] for row in self.json("bench", "--dtype", "bf16", "--seconds", "0.000001")}, {"BFLOAT16"})
        self.assertIn("has no logit of double", self.complaint(1, "bench", "logit", "--dtype", "double"))

    def test_bench_prints_rows_as_they_come(self):
        self.needs_speed()
        with subprocess.Popen([*COMMAND, "bench", "--seconds", "0.2"], stdout=subprocess.PIPE, text=True) as run:
            lines = [run.stdout.readline() for _ in range(3)]
            self.assertIsNone(run.poll())
            run.terminate()
        self.assertRegex(lines[2], r"^aclnn\w+ +[A-Z0-9]+ +L2 +[0-9.]+ \w+ ")

    def test_bench_of_collective_operations(self):
        self.needs_speed()
        if os.environ.get("PORTACL_SANITIZED") == "thread":
            self.skipTest("minutes of large sums; the tests of these operations look at their threads")
        for ranks in ("3",) if SLOW else ("1", "3"):
            rows = self.json("bench", "hccl", "--ranks", ranks, "--seconds", "0.001")
            names = {row["operation"] for row in rows}
            self.assertEqual(len(names), 13)
            self.assertIn("HcclAllReduce", names)
            sizes = sorted({row["bytes"] for row in rows})
            self.assertEqual(len(sizes), 7)  # the barrier has no size
            self.assertGreater(sizes[-1], 67_000_000)
            for row in rows:
                self.assertGreater(row["seconds"], 0)
                self.assertEqual(row["gb_per_s"] > 0, row["operation"] != "HcclBarrier")
                self.assertEqual(row["copy_seconds"] > 0, row["operation"] != "HcclBarrier")
        if SLOW:
            return
        text = self.output("bench", "hccl", "--seconds", "0.001", PORTACL_SHARED_MEMORY="0")
        self.assertRegex(text, r"HcclAllReduce +8 bytes +[0-9.]+ [mu]?s +[0-9.]+ +[0-9.]+ %\n")

    def test_bench_of_the_runtime(self):
        self.needs_speed()
        rows = {row["operation"]: row["seconds"] for row in self.json("bench", "runtime", "--seconds", "0.001")}
        self.assertEqual(len(rows), 8)
        self.assertLess(0, rows["aclrtRecordEvent"])
        self.assertLess(rows["aclrtSynchronizeStream, idle"], rows["aclrtLaunchHostFunc and the wait for it"])
        self.assertRegex(self.output("bench", "runtime", "--seconds", "0.001"), r"aclrtMalloc, aclrtFree of 64 bytes +[0-9.]+ [num]s\n")

    def test_accuracy(self):
        target = self.json("info")["instruction_set"]["in_use"]
        rows = self.json("accuracy", "aclnnLogitGrad", "--seconds", "0.01", PORTACL_TARGET=target)
        self.assertEqual({row["dtype"] for row in rows}, {"FLOAT", "FLOAT16", "BFLOAT16"})
        for row in rows:
            self.assertEqual(row["target"], target)
            self.assertTrue(row["good"])
            self.assertGreater(row["largest"], 0.4)
            self.assertRegex(row["inputs"], r"^x=0x[0-9a-f]+ \(.*\), dy=0x.*, eps=")
        text = self.output("accuracy", "aclnnLogitGrad", "--seconds", "0.01", PORTACL_TARGET=target)
        self.assertRegex(text, r"aclnnLogitGrad  out +BFLOAT16 .* 1  ULP +x=0x")

    def test_accuracy_takes_every_instruction_set(self):
        rows = self.json("accuracy", "aclnnLogit", "--seconds", "0.01")
        used = self.json("info")["instruction_set"]["in_use"]
        self.assertEqual(rows[0]["target"], used)
        self.assertEqual(len(rows), 3 * len({row["target"] for row in rows}))

    def test_bench_prints_a_table_of_a_family(self):
        self.needs_speed()
        names = [row["operator"] for row in self.json("ops", "fused")]
        self.assertIn("aclnnScaledMaskedSoftmax", names)
        text = self.output("bench", "fused", "--seconds", "0.001", "--size", "L2")
        for name in names:
            self.assertIn(name, text)

    def test_progress_is_plain_lines_in_a_file(self):
        self.needs_speed()
        run = self.run_tool("bench", "aclnnLogitGrad", "--seconds", "0.6", "--size", "L2")
        self.assertRegex(run.stderr, r"\Aportacl bench: .* \d+ % 2 s\n")
        self.assertNotIn("\r", run.stderr)
        self.assertNotIn("%  s", run.stdout)

    @unittest.skipIf(shutil.which("script") is None, "no terminal without script(1)")
    def test_progress_is_a_bar_on_a_terminal(self):
        self.needs_speed()
        command = " ".join(f"'{word}'" for word in [*COMMAND, "bench", "aclnnLogitGrad", "--seconds", "0.6", "--size", "L2"])
        run = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True, check=True,
                             stdin=subprocess.DEVNULL)
        self.assertRegex(run.stdout, r"portacl bench: .* \[#+\.*\] \d+ % 2 s\x1b\[K")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
