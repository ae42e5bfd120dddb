# SPDX-License-Identifier: Apache-2.0
"""torch.distributed with the backend "hccl", one rank and several: groups, collectives, DistributedDataParallel."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from npu_case import NPU, PACKAGE, run_python

from portacl import toolkit

import torch
import torch.distributed as dist


class OneRank(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.npu.set_device(0)
        dist.init_process_group("hccl", store=dist.HashStore(), rank=0, world_size=1)

    @classmethod
    def tearDownClass(cls):
        dist.destroy_process_group()

    def test_collectives_copy(self):
        x = torch.arange(6.0, device=NPU)
        dist.all_reduce(x)
        dist.broadcast(x, 0)
        parts = [torch.zeros_like(x)]
        dist.all_gather(parts, x)
        scattered = torch.zeros_like(x)
        dist.reduce_scatter_tensor(scattered, x)
        dist.barrier()
        for result in (x, parts[0], scattered):
            self.assertEqual(result.cpu().tolist(), [0, 1, 2, 3, 4, 5])

    def test_a_second_group(self):
        group = dist.new_group([0])
        x = torch.ones(3, device=NPU, dtype=torch.bfloat16)
        dist.all_reduce(x, group=group)
        self.assertEqual(x.cpu().tolist(), [1, 1, 1])
        dist.destroy_process_group(group)

    def test_distributed_data_parallel_trains(self):
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 2).to(NPU)
        weight = model.weight.detach().cpu().clone()
        parallel = torch.nn.parallel.DistributedDataParallel(model)
        parallel(torch.ones(3, 4, device=NPU)).sum().backward()
        torch.optim.SGD(parallel.parameters(), lr=0.5).step()
        self.assertTrue(torch.equal(model.weight.detach().cpu(), weight - 1.5))


def script(name):
    return str(pathlib.Path(__file__).with_name(name))


RANK_SETTINGS = {"PORTACL_DEVICES": None, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OMP_NUM_THREADS": "1"}


def torchrun(ranks, *arguments, **variables):
    return run_python("-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", *arguments, **RANK_SETTINGS, **variables)


def run_three_ranks(*arguments, limit_s=240):
    """Exit codes, None for processes that do not end, and the error streams of all. They rendezvous in a file: a port that was free when the test
    chose it may be taken when the first rank listens there, and the others would wait for it. On a busy machine they need minutes: 141 s
    have been measured."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, f"errors_of_rank_{rank}") for rank in range(3)]
        ranks = []
        for rank, file in enumerate(files):
            with file.open("w") as stream:
                ranks.append(subprocess.Popen([sys.executable, *arguments], stderr=stream, env={
                    **os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONFAULTHANDLER": "1", "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "3",
                    "LOCAL_WORLD_SIZE": "3", "RANKS_MEET_AT": f"file://{folder}/ranks", "PORTACL_DEVICES": "3", "OMP_NUM_THREADS": "1"}))
        end = time.monotonic() + limit_s
        codes = []
        for rank in ranks:
            try:
                codes.append(rank.wait(max(0, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                codes.append(None)
                rank.send_signal(signal.SIGABRT)    # it prints the stacks of its threads
                rank.wait()
        return codes, "\n".join(f"rank {rank} ended with {code}:\n{file.read_text()}" for rank, (code, file) in enumerate(zip(codes, files)))


@unittest.skipUnless(os.path.exists(os.path.join(toolkit.find(), "lib64", "portacl", "libportacl_gloo.so")), "the toolkit has no Gloo")
class Processes(unittest.TestCase):
    def expect_success(self, name, all_ranks):
        for ranks in all_ranks:
            with self.subTest(ranks=ranks):
                done = torchrun(ranks, script(name))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_two_and_four(self):
        self.expect_success("distributed_ranks.py", (2, 4))

    def test_types_parts_groups_messages_and_buffers(self):
        self.expect_success("distributed_cases.py", (2, 3))

    def test_what_is_sharded_has_the_numbers_of_what_is_not(self):
        self.expect_success("distributed_sharded.py", (2, 3, 4))

    def test_a_rank_that_is_killed_ends_the_run(self):
        done = torchrun(2, script("distributed_fault.py"), "kill")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("terminate called", done.stderr)

    def test_others_hear_of_a_rank_that_ends_or_disagrees(self):
        for how in ("kill", "count", "order"):
            with self.subTest(how=how):
                codes, errors = run_three_ranks(script("distributed_fault.py"), how)
                self.assertEqual(codes, [3, 3, -signal.SIGKILL if how == "kill" else 3], errors)

    def test_the_example_has_the_same_losses_on_any_number_of_ranks(self):
        script = pathlib.Path(__file__).parents[2] / "examples" / "distributed" / "compare.py"
        done = run_python(str(script), "--epochs", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "the losses of the first 21 steps differ by at most ")


def ip(*arguments):
    return shutil.which("ip") is not None and subprocess.run(["ip", *arguments], capture_output=True, check=False).returncode == 0


class TwoHosts(unittest.TestCase):
    """Two network namespaces connected by a virtual cable."""

    def setUp(self):
        self.hosts = [f"portacl_{os.getpid()}_{i}" for i in range(2)]
        for host in self.hosts:
            self.addCleanup(ip, "netns", "del", host)
            if not ip("netns", "add", host):
                self.skipTest("`ip netns add` is not allowed here: run as root with iproute2, in a container with --privileged")
        self.assertTrue(ip("-n", self.hosts[0], "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", self.hosts[1]))
        for i, host in enumerate(self.hosts):
            self.assertTrue(ip("-n", host, "address", "add", f"192.0.2.{i + 1}/24", "dev", "cable"))
            for interface in ("lo", "cable"):
                self.assertTrue(ip("-n", host, "link", "set", interface, "up"))

    def test_two_ranks_on_each_have_the_bits_of_one_host(self):
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "HCCL_SOCKET_IFNAME": "=cable", "GLOO_SOCKET_IFNAME": "cable", **RANK_SETTINGS}
        del environment["PORTACL_DEVICES"]
        runs = [subprocess.Popen(
            ["ip", "netns", "exec", host, sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=2", f"--node-rank={i}",
             "--master-addr=192.0.2.1", "--master-port=29500", script("distributed_ranks.py")],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for i, host in enumerate(self.hosts)]
        outputs = [run.communicate(timeout=240)[0] for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0], "\n".join(outputs))


if __name__ == "__main__":
    unittest.main()
