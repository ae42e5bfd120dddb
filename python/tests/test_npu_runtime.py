# SPDX-License-Identifier: Apache-2.0
"""What a training program does around its operators: threads, workers, streams, events, profilers, a thousand steps."""

import gc
import threading
import unittest

from npu_case import NPU, NpuCase

import torch
import torch_npu
from torch import nn
from torch.nn import functional


class Numbers(torch.utils.data.Dataset):
    """Thirty-two vectors, each of one number."""

    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.full((4,), float(index))


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Runtime(NpuCase):
    def test_four_threads(self):
        failures = []

        def work(seed):
            x = torch.rand(200, generator=torch.Generator().manual_seed(seed)) * 0.8 + 0.1
            want = (torch.logit(x) * 2).sum()
            for _ in range(30):
                leaf = x.to(NPU).requires_grad_()
                result = (torch.logit(leaf) * 2).sum()
                result.backward()
                if not torch.allclose(result.cpu(), want) or not torch.isfinite(leaf.grad.cpu()).all():
                    failures.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_workers_of_a_data_loader(self):
        torch.ones(1, device=NPU)  # the device is in use before the workers are forked
        loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2)
        self.assertEqual(sum(batch.to(NPU, non_blocking=True).sum().item() for batch in loader), 4 * sum(range(32)))

    def test_two_streams_meet_at_an_event(self):
        x = torch.rand(1 << 18) * 0.8 + 0.1
        npu = x.to(NPU)
        first, second = torch.npu.Stream(), torch.npu.Stream()
        done = torch.npu.Event(enable_timing=True)
        begin = torch.npu.Event(enable_timing=True)
        with torch.npu.stream(first):
            begin.record()
            result = torch.logit(npu)
            done.record()
        with torch.npu.stream(second):
            second.wait_event(done)
            doubled = result * 2
        torch.npu.synchronize()
        self.assert_same(doubled, torch.logit(x) * 2)
        self.assertGreaterEqual(begin.elapsed_time(done), 0)

    def test_results_outlive_what_they_were_made_of(self):
        # Native operators may still be queued when the tensors they read are dropped and their memory is given out again.
        x = torch.rand(1 << 20) * 0.8 + 0.1
        npu = x.to(NPU)
        results = [torch.logit(npu * 1.0) for _ in range(8)]
        for result in results:
            self.assert_same(result, torch.logit(x))

    def test_deterministic_mode(self):
        torch.use_deterministic_algorithms(True)
        try:
            x = torch.rand(16) * 0.8 + 0.1
            self.assert_same(torch.logit(x.to(NPU)).cumsum(0), torch.logit(x).cumsum(0))
        finally:
            torch.use_deterministic_algorithms(False)

    def test_profiling_leaves_results_alone(self):
        x = torch.rand(16) * 0.8 + 0.1
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            result = torch.logit(x.to(NPU)) + 1
        self.assert_same(result, torch.logit(x) + 1)
        names = {event.key for event in profile.key_averages()}
        self.assertLessEqual({"aten::logit", "aten::add"}, names)
        self.assert_same(torch.logit(x.to(NPU)) + 1, torch.logit(x) + 1)

    def test_a_thousand_steps_keep_memory(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)).to(NPU)
        optimiser = torch.optim.Adam(model.parameters())
        x, y = torch.randn(32, 16, device=NPU), torch.randn(32, 8, device=NPU)

        def steps(count):
            for _ in range(count):
                optimiser.zero_grad()
                (functional.smooth_l1_loss(model(x), y) + torch_npu.npu_swiglu(model(x)).square().mean()).backward()
                optimiser.step()
            gc.collect()
            return resident_bytes()

        before = steps(100)
        self.assertLess(steps(1000) - before, 1 << 20)


if __name__ == "__main__":
    unittest.main()
