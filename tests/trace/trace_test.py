#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces as users see them.

Usage: trace_test.py CLIENT PORTACL MSPROF        the program of trace_client.cc, and the tools
"""

import collections
import csv
import fcntl
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

CLIENT = PORTACL = MSPROF = ""
CALLS = 1
SVG = "{http://www.w3.org/2000/svg}"


class TraceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def client(self, trace, *arguments, code=0, **variables):
        run = subprocess.run([CLIENT, *arguments], cwd=self.folder, env=os.environ | {"PORTACL_TRACE": trace} | variables, capture_output=True,
                             text=True, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr

    def events(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def test_every_event_has_what_its_kind_needs(self):
        self.assertEqual(self.client("t.json"), "")
        needed = {"M": {"name", "pid", "args"}, "X": {"name", "cat", "pid", "tid", "ts", "dur"}, "C": {"name", "pid", "ts", "args"},
                  "s": {"name", "cat", "id", "pid", "tid", "ts"}, "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"}}
        for event in self.events("t.json"):
            self.assertIn(event["ph"], needed, event)
            self.assertLessEqual(needed[event["ph"]], event.keys(), event)
            self.assertGreaterEqual(event.get("dur", 0), 0, event)

    def test_tasks_of_a_stream_never_overlap(self):
        self.client("t.json")
        streams = collections.defaultdict(list)
        for event in self.events("t.json"):
            if event["ph"] == "X" and event["pid"] != CALLS:
                streams[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        self.assertEqual(len(streams), 4)
        for tasks in streams.values():
            tasks.sort()
            for (_, end), (begin, _) in zip(tasks, tasks[1:]):
                self.assertLessEqual(end, begin + 0.002, tasks)    # each is rounded to a nanosecond

    def test_counters_end_at_0(self):
        self.client("t.json")
        last, most = {}, collections.Counter()
        for event in self.events("t.json"):
            if event["ph"] == "C":
                last[event["name"]] = event["args"]["bytes"]
                most[event["name"]] = max(most[event["name"]], event["args"]["bytes"])
        self.assertEqual(last, {"device memory": 0, "page-locked memory": 0})
        self.assertGreaterEqual(most["device memory"], 2 * 4 * 3_000_000)

    def test_operators_have_shapes_dtypes_bytes_and_speed(self):
        self.client("t.json")
        operators = [event for event in self.events("t.json") if event.get("cat") == "operator"]
        self.assertEqual(len(operators), 6)
        texts = {event["args"]["operands"]: event["args"] for event in operators}
        arguments = texts["self FLOAT[2000000] other FLOAT[2000000] out FLOAT[2000000]"]
        self.assertEqual((arguments["bytes"], arguments["status"]), (24_000_000, 0))
        self.assertGreater(arguments["GB/s"], 0)
        names = {event["name"] for event in self.events("t.json") if event.get("cat") == "call"}
        self.assertLessEqual({"aclrtMalloc", "aclrtMemcpyAsync", "aclnnAdd", "aclrtSynchronizeStream", "aclrtFree"}, names)

    def test_arrows_lead_from_calls_to_tasks_and_from_records_to_waits(self):
        self.client("t.json")
        ends = {"s": collections.defaultdict(set), "f": collections.defaultdict(set)}
        for event in self.events("t.json"):
            if event["ph"] in ends:
                ends[event["ph"]][event["name"]].add(event["id"])
        self.assertEqual(ends["s"]["queued"], ends["f"]["queued"])
        self.assertLessEqual(ends["f"]["event"], ends["s"]["event"])
        self.assertEqual(len(ends["s"]["event"]), 6)

    def test_collective_operations_are_calls_and_arrows_begin_in_them(self):
        self.client("t.json", "ranks", PORTACL_DEVICES="2")
        events = self.events("t.json")
        calls = [event for event in events if event.get("cat") == "call"]
        tasks = {(event["pid"], event["tid"], event["ts"]): event["name"] for event in events if event.get("cat") == "task"}
        ends = {event["id"]: event for event in events if event["ph"] == "f"}
        queued_in = collections.Counter()    # the names of a task and of the call in which its arrow begins
        for begin in (event for event in events if event["ph"] == "s"):
            end = ends[begin["id"]]
            around = [call["name"] for call in calls if call["tid"] == begin["tid"]
                      and call["ts"] - 0.002 <= begin["ts"] <= call["ts"] + call["dur"] + 0.002]
            queued_in[tasks[end["pid"], end["tid"], end["ts"]], *around] += 1
        self.assertEqual(queued_in, {("HcclAllReduce", "HcclAllReduce"): 2, ("HcclAllGather", "HcclAllGather"): 2, ("HcclBarrier", "HcclBarrier"): 2,
                                     ("HcclSend or HcclRecv", "HcclGroupEnd"): 2})
        self.assertLessEqual({"HcclGetRootInfo", "HcclCommInitRootInfo", "HcclGroupStart", "HcclSend", "HcclRecv", "HcclCommDestroy"},
                             {call["name"] for call in calls})

    def test_a_crash_leaves_a_readable_file(self):
        for how, code in (("abort", -6), ("kill", -9)):
            self.client("t.json", how, code=code)
            self.assertGreater(sum(event["ph"] == "X" for event in self.events("t.json")), 40)
        self.assertEqual(subprocess.run([PORTACL, "trace", "t.json"], cwd=self.folder, check=True, capture_output=True).stderr, b"")

    def test_the_table_counts_calls_by_operator_and_shapes(self):
        table = self.client("summary")
        self.assertRegex(table, r"(?m)^ +3 +[0-9.]+ +[0-9.]+% +[0-9.]+  aclnnAdd self FLOAT\[3000000\] other FLOAT\[3000000\] out FLOAT\[3000000\]$")

    def test_the_tool_prints_the_same_and_draws_the_time_line(self):
        self.client("t.json")
        run = subprocess.run([PORTACL, "trace", "t.json"], cwd=self.folder, check=True, capture_output=True, text=True)
        self.assertRegex(run.stdout, r"(?m)^ +3 +.*  aclnnAdd self FLOAT\[2000000\] other FLOAT\[2000000\] out FLOAT\[2000000\]$")
        rows = json.loads(subprocess.run([PORTACL, "trace", "t.json", "--json"], cwd=self.folder, check=True, capture_output=True).stdout)
        self.assertEqual(sum(row["calls"] for row in rows["tasks"]), 6 + 6 + 2)
        self.assertEqual(rows["picture"], "t.svg")
        picture = ElementTree.parse(self.folder / "t.svg").getroot()
        texts = [text.text for text in picture.iter(f"{SVG}text")]
        self.assertEqual(sum(text.startswith("aclnnAdd  ") for text in texts), 1, texts)
        self.assertEqual(sum(bool(re.fullmatch(r"[0-9]+: [0-9]+", text)) for text in texts), 4, texts)    # streams
        self.assertEqual(len({path.get("stroke") for path in picture.iter(f"{SVG}path")}), len(texts) - 4 - 2)    # one for each name; the axis has two

    def test_names_that_a_picture_cannot_hold_are_escaped(self):
        name = "a<b>&\"c\" \x01\uffff"
        task = {"ph": "X", "cat": "task", "name": name, "pid": 101, "tid": 1, "ts": 1, "dur": 1e300, "args": {}}
        (self.folder / "t.json").write_text(json.dumps([task, task | {"ts": -5, "dur": -1}]), encoding="utf-8")
        subprocess.run([PORTACL, "trace", "t.json"], cwd=self.folder, check=True, capture_output=True)
        texts = [text.text for text in ElementTree.parse(self.folder / "t.svg").getroot().iter(f"{SVG}text")]
        self.assertIn('a<b>&"c" \\x01\\xef\\xbf\\xbf', texts[-1])

    def test_a_file_that_is_no_trace_is_one_line(self):
        for content in (b"", b"[", b"{}", b'[{"ph": "X", "cat": "task"}]', b'[1]', b"\x00\xff" * 100):
            (self.folder / "bad.json").write_bytes(content)
            run = subprocess.run([PORTACL, "trace", "bad.json"], cwd=self.folder, check=False, capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr.count("\n"), run.stdout), (1, 1, ""), (content, run.stderr))
        run = subprocess.run([PORTACL, "trace", "none.json"], cwd=self.folder, check=False, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1))

    def test_a_file_that_cannot_be_written_is_one_line_and_the_program_runs_on(self):
        for path in ("no/folder/t.json", ".", "/dev/full", "/proc/version"):
            self.assertRegex(self.client(path), r"^portacl: PORTACL_TRACE: expected a file that can be written, got '.*': .*\n$", path)

    def test_a_full_disk_ends_the_trace_with_one_line(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        run = subprocess.run([CLIENT, "many"], cwd=self.folder, env=os.environ | {"PORTACL_TRACE": "t.json"}, capture_output=True, text=True,
                             check=False, preexec_fn=limit)
        self.assertEqual((run.returncode, run.stderr), (0, "portacl: PORTACL_TRACE: the trace ends here: File too large\n"))
        self.assertGreater(len(self.events("t.json")), 1000)

    def test_processes_have_files_of_their_own(self):
        self.client("t-%p.json", "fork")
        files = [path.name for path in self.folder.glob("t-*.json")]
        self.assertEqual(len(files), 2)
        for name in files:
            self.assertEqual(sum(event.get("cat") == "operator" for event in self.events(name)), 3)

    def test_a_forked_child_leaves_the_file_of_its_parent_alone(self):
        self.client("t.json", "fork")
        self.assertEqual(sum(event.get("cat") == "operator" for event in self.events("t.json")), 3)

    def test_two_processes_with_one_name(self):
        with open(self.folder / "t.json", "w", encoding="utf-8") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assertIn("another process writes it (%p in the name is the process)", self.client("t.json"))

    def profile(self, folder, **variables):
        return subprocess.run([CLIENT, "profile", str(folder)], cwd=self.folder, env=os.environ | variables, capture_output=True, text=True, check=False)

    def test_profiling_records_what_happens_between_start_and_stop(self):
        for variables in ({}, {"PORTACL_TRACE": "t.json"}):
            with self.subTest(variables):
                folder = self.folder / f"some/where{len(variables)}"
                done = self.profile(folder, **variables)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                sessions = sorted(folder.iterdir())
                self.assertEqual(len(sessions), 2)
                for session in sessions:
                    self.assertRegex(session.name, r"^PROF_[0-9]{6}_[0-9]{17}_[0-9]+$")
                    self.assertTrue((session / "device_0").is_dir())
                    events = json.loads((session / "trace.json").read_text(encoding="utf-8"))
                    sizes = collections.Counter(re.search(r"out FLOAT\[(\d+)\]", event["args"]["operands"]).group(1) for event in events
                                                if event.get("cat") == "operator")
                    self.assertEqual(sizes, {"1001": 3, "1003": 3})
                    self.assertEqual([event["args"]["bytes"] for event in events if event.get("name") == "device memory"][-1], 0)

    def test_msprof_makes_the_tables_of_a_profile(self):
        self.profile(self.folder)
        session = sorted(self.folder.glob("PROF_*"))[0]
        before = time.time()
        subprocess.run([sys.executable, MSPROF, "--export=on", f"--output={session}"], check=True)
        (table,) = session.glob("mindstudio_profiler_output/op_summary_*.csv")
        with table.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["Device_id"], row["Op Name"], row["OP Type"], row["Input Shapes"], row["Output Data Types"]) for row in rows],
                         [("0", "aclnnAdd", "Add", f"{count};{count}", "FLOAT") for count in (1001, 1003) for _ in range(3)])
        for row in rows:
            self.assertLess(abs(float(row["Task Start Time(us)"]) / 1e6 - before), 600)
            self.assertGreater(float(row["Task Duration(us)"]), 0)
        (trace,) = session.glob("mindstudio_profiler_output/msprof_*.json")
        flows = [event for event in json.loads(trace.read_text(encoding="utf-8")) if event.get("cat") == "HostToDevice"]
        self.assertEqual(collections.Counter(event["ph"] for event in flows)["s"], len(flows) / 2)

    def test_msprof_says_what_is_no_profile(self):
        for arguments in (["--export=on", "--output=none"], ["--export=on"], ["--export=on", "--type=db", f"--output={self.folder}"]):
            done = subprocess.run([sys.executable, MSPROF, *arguments], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"(?m)^msprof: .+$")
            self.assertNotIn("Traceback", done.stderr)

    def test_a_folder_that_cannot_be_written_is_a_status(self):
        for folder in ("/proc/none", "/dev/null/x"):
            done = self.profile(folder)
            self.assertRegex(done.stdout, rf"^status 100003: .*aclprofStart: expected a folder of aclprofInit that can be written, got '{folder}': .+\n$")


if __name__ == "__main__":
    CLIENT, PORTACL, MSPROF = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
