# SPDX-License-Identifier: Apache-2.0
"""The hook that the wheel installs in site-packages: programs that import torch but never portacl."""

import os
import pathlib
import tempfile
import unittest

from npu_case import PACKAGE, run_python

from portacl import toolkit

TRAIN = """
import sys
import torch
if __name__ == "__main__":
    x = torch.tensor([0.25, 0.75], device="npu", requires_grad=True)
    torch.logit(x).sum().backward()
    print((x.grad + 1).tolist(), "portacl" in sys.modules)
"""
SPAWN = """
import torch
import torch.multiprocessing as processes


def work(rank, results):
    results[rank] = torch.erfinv(torch.full((4,), 0.5, device=f"npu:{rank}")).sum().cpu()


if __name__ == "__main__":
    results = torch.zeros(2).share_memory_()
    processes.spawn(work, (results,), nprocs=2)
    print(results.tolist())
"""
RANKS = """
import os
import torch
import torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
x = torch.full((2,), rank + 1.0, device="npu")
dist.all_reduce(x)
open(f"{os.environ['RESULTS']}/{rank}", "w").write(str(x.tolist()))
dist.destroy_process_group()
"""


class Hook(unittest.TestCase):
    def setUp(self):
        # An installed wheel has the hook in site-packages; here Python finds it in a module that it imports at start.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("sitecustomize.py", f"import site\nsite.addsitedir({str(PACKAGE)!r})\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
        return str(path)

    def run_hooked(self, *arguments, **variables):
        return run_python(*arguments, PYTHONPATH=os.pathsep.join((str(self.folder), str(PACKAGE))), **variables)

    def test_a_plain_script_runs(self):
        run = self.run_hooked(self.write("train.py", TRAIN))
        self.assertEqual((run.stdout, run.stderr), ("[6.333333492279053, 6.333333492279053] True\n", ""))

    def test_processes_that_are_spawned_run(self):
        run = self.run_hooked(self.write("spawn.py", SPAWN), PORTACL_DEVICES="2")
        self.assertEqual((run.stdout, run.stderr), ("[1.907745122909546, 1.907745122909546]\n", ""))

    def test_torchrun_needs_no_other_module(self):
        run = self.run_hooked("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", self.write("ranks.py", RANKS),
                              RESULTS=str(self.folder))
        self.assertEqual([(self.folder / str(rank)).read_text() for rank in range(2)], ["[3.0, 3.0]"] * 2, run.stderr)

    def test_each_process_of_a_host_has_a_device(self):
        run = self.run_hooked("-c", "import torch; print(torch.npu.device_count())", LOCAL_WORLD_SIZE="3", PORTACL_DEVICES=None)
        self.assertEqual((run.stdout, run.stderr), ("3\n", ""))

    def test_nothing_happens_before_torch_is_imported(self):
        run = self.run_hooked("-c", "import importlib.util, sys; importlib.util.find_spec('torch'); print('portacl' in sys.modules)")
        self.assertEqual((run.stdout, run.stderr), ("False\n", ""))

    def test_what_is_not_used_is_not_made_ready(self):
        # The kernels of the fallback are loaded only for programs that use the device; modules that compile graphs, only if the plug-in loads them.
        list_modules = ("import sys, torch\nfor prefix in ('portacl.', 'torchair', ('torch._dynamo', 'torch._inductor')):\n"
                        "    print(torch.npu.device_count(), sorted(name for name in sys.modules if name.startswith(prefix)))\n")
        root = str(toolkit.find())
        plugin_alone = run_python("-c", list_modules, PORTACL_DISABLE="1", LD_LIBRARY_PATH=os.path.join(root, "lib64"), ASCEND_HOME_PATH=root,
                                  ASCEND_OPP_PATH=os.path.join(root, "opp")).stdout.splitlines()
        run = self.run_hooked("-c", list_modules + "torch.ones(1).npu(); print('portacl.fallback' in sys.modules)")
        self.assertEqual(plugin_alone[0], "1 []")
        modules = [f"portacl.{name}" for name in ("errors", "kernels", "pytorch", "toolkit", "unsupported", "versions")]
        self.assertEqual(run.stdout.splitlines(), [f"1 {modules}", "1 []", plugin_alone[2], "True"])
        self.assertEqual(run.stderr, "")

    def test_it_can_be_switched_off(self):
        run = self.run_hooked("-c", "import torch", PORTACL_DISABLE="1")
        self.assertIn("Failed to load the backend extension: torch_npu", run.stderr)

    def test_cann_is_left_alone(self):
        library = pathlib.Path(self.write("cann/lib64/libascendcl.so", ""))
        for variables in ({"ASCEND_HOME_PATH": str(library.parent.parent)}, {"LD_LIBRARY_PATH": str(library.parent)}):
            run = self.run_hooked("-c", "import torch, sys; print('portacl' in sys.modules)", TORCH_DEVICE_BACKEND_AUTOLOAD="0", **variables)
            self.assertEqual((run.stdout, run.stderr), ("False\n", ""))


if __name__ == "__main__":
    unittest.main()
