# SPDX-License-Identifier: Apache-2.0
"""The environment of a training program's operators: threads, workers, streams, events, profilers, thousands of steps, Ctrl-C."""

import gc
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

from npu_case import NPU, NpuCase

import torch
import torch_npu
from torch import nn
from torch.nn import functional


class Numbers(torch.utils.data.Dataset):
    """Thirty-two vectors, each with a single value."""

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

    def test_backward_runs_in_the_thread_that_calls_it(self):
        threads = []
        x = torch.ones(3, device=NPU, requires_grad=True)
        y = x * 2
        y.register_hook(lambda gradient: threads.append(threading.get_ident()))
        y.sum().backward()
        self.assertEqual(threads, [threading.get_ident()])

    def test_workers_of_a_data_loader(self):
        torch.ones(1, device=NPU)  # the device is used before the workers are forked
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
        # Native operators may still be queued when the tensors that they read are freed and their memory is reused.
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

    def test_two_thousand_steps_keep_memory(self):
        # Native operators, CPU operators, attention and a recurrent layer; results large enough for the device's allocator, and small ones.
        torch.manual_seed(0)
        model = nn.ModuleList([nn.Linear(16, 32), nn.LSTM(32, 32), nn.Linear(32, 8)]).to(NPU)
        optimiser = torch.optim.Adam(model.parameters())
        x, y = torch.randn(4, 32, 16, device=NPU), torch.randn(4, 32, 8, device=NPU)
        large = torch.rand(128, 128, device=NPU)

        def steps(count):
            for _ in range(count):
                optimiser.zero_grad()
                hidden = functional.scaled_dot_product_attention(*3 * [model[1](functional.dropout(model[0](x).relu(), 0.1))[0]])
                out = model[2](torch.erfinv(hidden.sigmoid() * 0.5))
                (functional.smooth_l1_loss(out, y) + torch_npu.npu_swiglu(out).square().mean() + torch.special.i1e(large + large)[0, 0]).backward()
                optimiser.step()
            gc.collect()
            return torch.npu.memory_allocated(), resident_bytes()

        allocated, resident = steps(200)
        allocated_later, resident_later = steps(2000)
        self.assertEqual(allocated_later, allocated)
        self.assertLess(resident_later - resident, 1 << 20)

    def test_ctrl_c_ends_a_training(self):
        # If the tests run in the background, shells make them ignore the signal, and processes that they start would, too.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        for name in ("names", "cnn"):    # short steps, and steps that stay in operators for long
            with self.subTest(program=name):
                command = [sys.executable, "-uc", f"import run\nfor step, _ in enumerate(run.begin('{name}', 'npu')): print(step)"]
                folder = pathlib.Path(__file__).with_name("programs")
                with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
                    while training.stdout.readline() != "10\n":
                        self.assertIsNone(training.poll())
                    training.send_signal(signal.SIGINT)
                    _, error = training.communicate(timeout=300)    # the program has no other end
                self.assertEqual(training.returncode, -signal.SIGINT, error)
                self.assertRegex(error, r"\ATraceback \(most recent call last\):\n(.*\n)+KeyboardInterrupt\n\Z")


if __name__ == "__main__":
    unittest.main()
