# SPDX-License-Identifier: Apache-2.0
"""torch.distributed with the backend "hccl", one rank and several: groups, collectives, DistributedDataParallel."""

import os
import pathlib
import unittest

from npu_case import NPU, run_python

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


@unittest.skipUnless(os.path.exists(os.path.join(toolkit.find(), "lib64", "portacl", "libportacl_gloo.so")), "the toolkit has no Gloo")
class Processes(unittest.TestCase):
    def test_two_and_four(self):
        script = str(pathlib.Path(__file__).with_name("distributed_ranks.py"))
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                done = run_python("-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", script,
                                  PORTACL_DEVICES=None, TORCH_DEVICE_BACKEND_AUTOLOAD="0", OMP_NUM_THREADS="1")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_example_has_the_same_losses_on_any_number_of_ranks(self):
        script = pathlib.Path(__file__).parents[2] / "examples" / "distributed" / "compare.py"
        done = run_python(str(script), "--epochs", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "the losses of the first 21 steps differ by at most ")


if __name__ == "__main__":
    unittest.main()
