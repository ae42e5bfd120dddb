# SPDX-License-Identifier: Apache-2.0
"""Starting: the launcher, plain imports, messages about incompatible setups, and a clean exit."""

import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from npu_case import run_python

from portacl import pytorch, toolkit

SCRIPT = """
import sys
import torch
x = torch.tensor([0.25, 0.75], device="npu", requires_grad=True)
torch.logit(x).sum().backward()
print(__name__, sys.argv[1:], (x.grad + 1).tolist(), "portacl" in sys.modules)
"""


class Launcher(unittest.TestCase):
    def test_a_script_runs_unchanged_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "train.py")
            script.write_text(SCRIPT, encoding="ascii")
            run = run_python("-m", "portacl", str(script), "--epochs", "3")
        self.assertEqual(run.stdout.splitlines(), ["__main__ ['--epochs', '3'] [6.333333492279053, 6.333333492279053] True"], run.stderr)
        self.assertEqual((run.stderr, run.returncode), ("", 0))

    def test_the_check_passes(self):
        run = run_python("-m", "portacl", "--check", PORTACL_FALLBACK="0")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(sum(" ok, " in line for line in run.stdout.splitlines()), 6, run.stdout)

    def test_the_check_finds_ranks_that_cannot_meet(self):
        run = run_python("-m", "portacl", "--check", HCCL_SOCKET_IFNAME="=nothing")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"two ranks +FAILED: .+")

    def test_the_check_tells_which_torch_it_found(self):
        self.assertRegex(run_python("-m", "portacl", "--check", PORTACL_FALLBACK="0").stdout, r"\ntorch +2.*, built for the CPU, /.*/torch\n")

    def test_a_queue_that_hides_refusals_is_not_used(self):
        # With phase 1 in the queue, all of these except the first would be skipped without an error.
        program = ("import portacl, torch\nx = torch.arange(3.0).npu()\nprint([t.cpu().tolist() for t in (torch.cos(x), x + 1, "
                   "torch.nn.functional.linear(x, torch.ones(2, 3).npu()), x.double() * 2, torch.erfinv(x / 4))])")
        want, runs = run_python("-c", program), [run_python("-c", program, TASK_QUEUE_ENABLE=level) for level in ("1", "2")]
        self.assertEqual([run.stdout for run in runs], [want.stdout] * 2, runs[1].stderr)
        self.assertEqual([want.stderr, runs[0].stderr], ["", ""])
        self.assertEqual(runs[1].stderr, "portacl: TASK_QUEUE_ENABLE is 2, but 1 is used, as every operator after one that the toolkit refuses "
                         "would be skipped without an error\n")

    def test_a_report_at_exit(self):
        run = run_python("-c", "import portacl, torch\nx = torch.ones(2, device='npu')\ntorch.erfinv(torch.logit(torch.empty_like(x)))\n"
                         "torch.ops.npu.npu_mish(x.clone())\ntorch.nn.GRU(2, 2).npu()(x[None].double().float())", PORTACL_FALLBACK="report")
        native, on_cpu = run.stderr.split(" on the CPU, ")
        for name, calls in (("logit", 1), ("empty_like", 1), ("_to_copy", 6), ("clone", 1)):
            self.assertRegex(native, rf"aten::{name} +{calls} calls")
        self.assertRegex(on_cpu, r"aten::erfinv +1 calls.*each  no aclnnErfinv")
        self.assertRegex(on_cpu, r"aten::gru.input +1 calls")
        self.assertRegex(on_cpu, r"npu::npu_mish +1 calls.*each  no \w+")

    def test_without_the_fallback_the_plug_in_says_what_is_missing(self):
        run = run_python("-c", "import portacl, torch\ntorch.erfinv(torch.ones(2).npu())", PORTACL_FALLBACK="0")
        self.assertRegex(run.stderr, "aclnnErfinv")
        self.assertEqual(run.returncode, 1)

    def test_wrong_calls_end_with_one_sentence(self):
        for arguments, variables, sentence in (
            (["nowhere.py"], {}, "there is no script 'nowhere.py'"),
            (["--frobnicate"], {}, "unknown option '--frobnicate'"),
            ([__file__], {"PORTACL_SOC": "Ascend910B1"}, "PORTACL_SOC is 'Ascend910B1', but PyTorch needs Ascend950"),
            ([__file__], {"PORTACL_FALLBACK": "python"}, "PORTACL_FALLBACK is 'python'; expected 0 (off), 1 (on) or report (on"),
            ([__file__], {"PORTACL_DRAWS": "card"}, "PORTACL_DRAWS is 'card'; expected npu (random numbers as on a card) or cpu"),
        ):
            run = run_python("-m", "portacl", *arguments, **variables)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
            self.assertIn(sentence, run.stderr)

    def test_imported_after_torch(self):
        # With a toolkit on the loader's path, torch loads its plug-in by itself.
        root = toolkit.find()
        run = run_python("-c", "import torch, portacl", LD_LIBRARY_PATH=str(root / "lib64"), ASCEND_HOME_PATH=str(root),
                         ASCEND_OPP_PATH=str(root / "opp"))
        self.assertIn("PyTorch is not set up: portacl must be imported before torch", run.stderr)


class Variables(unittest.TestCase):
    def test_the_users_variables_win(self):
        with mock.patch.dict(os.environ, {"TASK_QUEUE_ENABLE": "1"}), mock.patch.object(pytorch, "_prepared", False), \
                mock.patch.object(pytorch, "check"), mock.patch.object(sys, "meta_path", list(sys.meta_path)):
            pytorch.prepare()
            self.assertEqual(os.environ["TASK_QUEUE_ENABLE"], "1")
            self.assertEqual(os.environ["PORTACL_SOC"], pytorch.SOC)


if __name__ == "__main__":
    unittest.main()
