# SPDX-License-Identifier: Apache-2.0
"""torch_npu.profiler, unmodified: a training runs without an error, and traces and tables contain the operators with their times."""

import csv
import json
import pathlib
import tempfile
import unittest

from npu_case import run_python

TRAINING = """
import sys
import portacl
import torch
import torch_npu

profiler = torch_npu.profiler
model = torch.nn.Linear(16, 4).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(8, 16).npu()

def step():
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()

settings = {"activities": [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU], "record_shapes": True}
if sys.argv[1] == "handler":
    with profiler.profile(schedule=profiler.schedule(wait=1, warmup=1, active=2, repeat=2), **settings,
                          on_trace_ready=profiler.tensorboard_trace_handler("result")) as profile:
        for _ in range(9):
            step()
            profile.step()
else:
    with profiler.profile(**settings) as profile:
        step()
    profile.export_chrome_trace("exported.json")
print("trained")
"""


class ProfilerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def train(self, way):
        done = run_python("-c", f"import os; os.chdir({str(self.folder)!r})\n{TRAINING}", way)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith("trained\n"), done.stdout)
        self.assertNotIn("[ERROR]", done.stdout + done.stderr)

    def operators(self, trace):
        events = [event for event in json.loads(trace.read_text(encoding="utf-8")) if event.get("cat") == "operator"]
        for event in events:
            self.assertGreater(float(event["dur"]), 0, event)
        return {event["name"] for event in events}

    def test_each_result_has_the_operators_with_their_times(self):
        self.train("handler")
        results = sorted(self.folder.glob("result/*_ascend_pt"))
        self.assertEqual(len(results), 2)
        for result in results:
            (ours,) = result.glob("PROF_*/trace.json")
            names = self.operators(ours)
            self.assertLessEqual({"aclnnAddmm", "aclnnMean"}, names)
            (output,) = result.glob("*_PROFILER_OUTPUT")
            self.assertEqual(self.operators(output / "trace_view.json"), names)
            with (output / "kernel_details.csv").open(encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual({row["Name"] for row in rows}, names)
            addmm = [row for row in rows if row["Name"] == "aclnnAddmm"]
            self.assertEqual((addmm[0]["Input Shapes"], addmm[0]["Output Shapes"]), ("4;8,16;16,4", "8,4"))
            self.assertGreater(float(addmm[0]["Duration(us)"]), 0)
            # Each of the two steps has one forward pass.
            self.assertEqual(len({row["Step Id"] for row in addmm}), 2, addmm)

    def test_an_exported_trace_leads_from_torch_to_its_operators(self):
        self.train("export")
        events = json.loads((self.folder / "exported.json").read_text(encoding="utf-8"))
        self.assertLessEqual({"aclnnAddmm", "aclnnMean"}, self.operators(self.folder / "exported.json"))
        arrows = [event for event in events if event.get("cat") == "async_npu"]
        places = {(event["pid"], event["tid"], event["ts"]): event for event in events if event["ph"] == "X"}
        begins, ends = ({arrow["id"]: places[arrow["pid"], arrow["tid"], arrow["ts"]] for arrow in arrows if arrow["ph"] == ph} for ph in "sf")
        led = {ends[number]["name"]: begins[number] for number in ends}
        self.assertEqual((led["aclnnAddmm"]["name"], led["aclnnAddmm"]["cat"]), ("aclnnAddmm", "cpu_op"))    # the plug-in's call


if __name__ == "__main__":
    unittest.main()
