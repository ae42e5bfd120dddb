#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's plug-in costs on this toolkit, and what it gains over PyTorch on the CPU. Needs torch and torch-npu.

    torch_npu_calls.py [--repeats 9]

Prints Markdown: operators on 16 elements beside the same calls into a library whose operators do nothing; an operator that runs natively
and one of the fallback beside the same on the CPU; the large operators beside their computation in PyTorch on the CPU, forward and
backward. Contestants run in turns, each with a few calls after one that is not timed; each time is the median of the repeats, and the
spread is that of their middle half.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLKIT = pathlib.Path(os.environ.get("PORTACL_TOOLKIT", ROOT / "build" / "toolkit"))
CALLS = 3000
LARGE_CALLS = 3
REST = 0.006    # seconds before each sample, see "Rest" in docs/benchmarks.md

# Both phases succeed and do nothing; an executor only has to be an address.
EMPTY = """
#include <stdint.h>
int aclnnLogitGetWorkspaceSize(const void* input, double eps, void* out, uint64_t* size, void** executor) {
  (void)input; (void)eps; (void)out;
  *size = 0;
  *executor = size;
  return 0;
}
int aclnnSwiGluGetWorkspaceSize(const void* x, int64_t dim, void* out, uint64_t* size, void** executor) {
  (void)x; (void)dim; (void)out;
  *size = 0;
  *executor = size;
  return 0;
}
"""


def seconds(call, number=1):
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def in_turns(contestants, repeats, number=1):
    """Times of each contestant, after one warm-up round."""
    times = [[] for _ in contestants]
    for turn in range(repeats + 1):
        for call, sample in zip(contestants, times):
            time.sleep(REST)
            call()    # finds its operands outside the caches, as the others do
            value = seconds(call, number)
            if turn > 0:
                sample.append(value)
    return times


def text(sample):
    quarters = statistics.quantiles(sample, n=4)
    middle, spread = statistics.median(sample), quarters[2] - quarters[0]
    unit, factor = ("us", 1e6) if middle < 1e-3 else ("ms", 1e3)
    return f"{middle * factor:.1f} {unit} (+-{spread / 2 * factor:.1f})"


def ratio(first, second):
    return statistics.median(first) / statistics.median(second)


def small_calls():
    """For the child process: seconds of a call of two operators on 16 elements, once for every line that it reads."""
    import portacl    # noqa: F401
    import torch
    import torch_npu

    x = torch.rand(16, device="npu")
    calls = {"torch.logit": lambda: torch.logit(x), "torch_npu.npu_swiglu": lambda: torch_npu.npu_swiglu(x)}
    for call in calls.values():
        seconds(call, CALLS)
    for _ in sys.stdin:
        print(json.dumps({name: seconds(call, CALLS) for name, call in calls.items()}), flush=True)


def empty_toolkit(folder):
    """A copy of the toolkit whose operators do nothing."""
    shutil.copytree(TOOLKIT, folder, symlinks=True)
    lists = (ROOT / "tests/contract/exports").glob("libopapi_*.txt")
    names = [name for path in lists for name in path.read_text(encoding="utf-8").split()]
    lines = [f"int {name}(void) {{ return 0; }}" for name in names if f" {name}(" not in EMPTY]
    source = folder / "empty.c"
    source.write_text(EMPTY + "\n".join(lines), encoding="utf-8")
    lib64 = folder / "lib64"
    (lib64 / "libportacl_python.so").unlink()    # it needs more of the operators than their names
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-Wl,-soname,libopapi.so", "-o", lib64 / "libopapi.so", source,
                    f"-L{lib64}", "-Wl,--no-as-needed", "-lnnopbase", "-lascendcl", "-Wl,-rpath,$ORIGIN"], check=True)


def compare_small_calls(repeats):
    with tempfile.TemporaryDirectory() as scratch:
        empty = pathlib.Path(scratch) / "toolkit"
        empty_toolkit(empty)
        children = [subprocess.Popen([sys.executable, __file__, "--small-calls"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     env={**os.environ, "PORTACL_TOOLKIT": str(toolkit)}) for toolkit in (TOOLKIT, empty)]
        rounds = [[], []]
        for _ in range(repeats):
            for child, answers in zip(children, rounds):
                child.stdin.write("\n")
                child.stdin.flush()
                answers.append(json.loads(child.stdout.readline()))
        for child in children:
            child.communicate()
    for name in rounds[0][0]:
        ours, nothing = ([answer[name] for answer in answers] for answers in rounds)
        print(f"| {name}, 16 elements | {text(ours)} | an operator that does nothing: {text(nothing)} | {ratio(ours, nothing):.2f} |")


def compare_with_cpu(torch, repeats):
    on_device = torch.rand(16, device="npu")
    on_cpu = on_device.cpu()
    # The plug-in has no kernel for the second, whatever the toolkit exports.
    for name, call in (("x + x", lambda x: x + x), ("torch.special.i1e, on the fallback", torch.special.i1e)):
        ours, cpu = in_turns([lambda: call(on_device), lambda: call(on_cpu)], repeats, CALLS)
        more = (statistics.median(ours) - statistics.median(cpu)) * 1e6
        print(f"| {name}, 16 elements | {text(ours)} | on the CPU: {text(cpu)} | {more:.1f} us more |")


def swi_glu(torch, plugin, device):
    x = torch.randn(4096, 22016, device=device, requires_grad=True)
    gradient = torch.randn(4096, 11008, device=device)

    def forward():
        if device == "npu":
            return plugin.npu_swiglu(x)
        first, second = x.chunk(2, -1)
        return torch.nn.functional.silu(first) * second
    return forward, x, gradient


def masked_softmax(torch, plugin, device):
    x = torch.randn(2, 16, 768, 2048, device=device, requires_grad=True)
    mask = (torch.rand(2, 1, 768, 2048) < 0.2).to(device)
    gradient = torch.randn(2, 16, 768, 2048, device=device)

    def forward():
        if device == "npu":
            return plugin.npu_scaled_masked_softmax(x, mask, 0.125, False)
        return torch.softmax((x * 0.125).masked_fill(mask, -10000.0), -1)
    return forward, x, gradient


def ctc(torch, plugin, device):
    logits = torch.randn(500, 16, 32).log_softmax(-1).to(device).requires_grad_()
    targets = torch.randint(1, 32, (16, 100)).to(device)
    lengths = torch.full((16,), 500), torch.full((16,), 100)
    gradient = torch.ones(16, device=device)

    def forward():
        return torch.nn.functional.ctc_loss(logits, targets, *lengths, reduction="none")
    return forward, logits, gradient


def compare_large_calls(torch, plugin, repeats):
    for name, make in (("npu_swiglu, 4096 x 22016", swi_glu), ("npu_scaled_masked_softmax, 2 x 16 x 768 x 2048", masked_softmax),
                       ("ctc_loss, T = 500, N = 16, C = 32, S = 100", ctc)):
        forwards, backwards = [], []
        for device in ("npu", "cpu"):
            forward, operand, gradient = make(torch, plugin, device)
            result = forward()
            forwards.append(lambda f=forward: (f(), torch.npu.synchronize()))
            backwards.append(lambda r=result, o=operand, g=gradient: (torch.autograd.grad(r, o, g, retain_graph=True), torch.npu.synchronize()))
        for step, calls in (("forward", forwards), ("backward", backwards)):
            ours, cpu = in_turns(calls, repeats, LARGE_CALLS)
            print(f"| {name}, {step} | {text(ours)} | PyTorch on the CPU: {text(cpu)} | {ratio(cpu, ours):.1f} times faster |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, help="of either side; default: as many as there are cores")
    parser.add_argument("--small-calls", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.threads:
        os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "PORTACL_NUM_THREADS"), str(arguments.threads)))
    sys.path.insert(0, str(ROOT / "python"))
    if arguments.small_calls:
        return small_calls()
    import portacl    # noqa: F401
    import torch
    import torch_npu

    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), "?")
    print(f"{model}, {torch.get_num_threads()} threads; torch {torch.__version__}, torch-npu {torch_npu.__version__}\n")
    print("| call | on npu | beside | |\n|---|---|---|---|")
    compare_small_calls(arguments.repeats)
    compare_with_cpu(torch, arguments.repeats)
    compare_large_calls(torch, torch_npu, arguments.repeats)
    return None


if __name__ == "__main__":
    main()
