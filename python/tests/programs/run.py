# SPDX-License-Identifier: Apache-2.0
"""Programs as users of PyTorch write them, on the CPU and on "npu": python run.py [--check] [--steps N] [name]...

Prints a row for each: by how much losses and tensors differ after some steps, and the processor time of a step, in turns; exit code 1
when a program fails or differs by more than it allows. --check leaves the times out. A program is a file with TOLERANCE and
program(device), which yields after each step the loss and other tensors that count.
"""

import argparse
import importlib
import pathlib
import statistics
import sys
import time
import warnings

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import npu_case  # noqa: F401 (portacl before torch)
import torch

TURNS, SECONDS = 15, 0.05


def names():
    """All programs; the one that changes names of torch comes last."""
    found = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "run")
    return sorted(found, key=lambda name: name == "cuda_script")


def begin(name, device):
    """The program `name`, before its first step."""
    torch.manual_seed(0)
    return importlib.import_module(name).program(device)


def steps(program, count):
    """The losses of the first `count` steps, and the tensors after the last step, on the CPU."""
    losses = []
    for _ in range(count):
        loss, *tensors = next(program)
        losses.append(loss.detach().cpu())
    return torch.stack(losses), *(tensor.detach().cpu() for tensor in tensors)


def difference(got, want):
    """The largest difference between two lists of tensors, in units of the largest value of a tensor or 1."""
    if len(got) != len(want):
        raise ValueError(f"{len(got)} tensors instead of {len(want)}")
    return max(((left.double() - right.double()).abs().max() / right.double().abs().max().clamp(min=1)).item() for left, right in zip(got, want))


def check(name, count):
    """(difference, whether the program allows it)."""
    want, got = (steps(begin(name, device), count) for device in ("cpu", "npu"))
    found = difference(got, want)
    return found, found <= importlib.import_module(name).TOLERANCE


def seconds_of(program, count, device):
    start = time.process_time()    # time of all threads; other processes are not included
    for _ in range(count):
        next(program)
    if device == "npu":
        torch.npu.synchronize()
    return (time.process_time() - start) / count


def times(name):
    """Seconds of a step on both devices, medians, and the quartiles of their ratios, round by round."""
    programs = {device: begin(name, device) for device in ("cpu", "npu")}
    for device, program in programs.items():
        seconds_of(program, 3, device)
    count = max(1, round(SECONDS / seconds_of(programs["cpu"], 3, "cpu")))
    turns = [[seconds_of(program, count, device) for device, program in programs.items()] for _ in range(TURNS)]
    cpu, npu = map(statistics.median, zip(*turns))
    return cpu, npu, statistics.quantiles([turn[1] / turn[0] for turn in turns], n=4)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="no times")
    parser.add_argument("--steps", type=int, default=10, help="steps that are compared")
    parser.add_argument("names", nargs="*", default=names())
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    for name in arguments.names:
        try:
            found, good = check(name, arguments.steps)
            row = f"| `{name}` | {found:.0e}" + ("" if good else " WRONG")
            if good and not arguments.check:
                cpu, npu, (low, middle, high) = times(name)
                row += f" | {cpu * 1e3:.2f} ms | {npu * 1e3:.2f} ms | {middle:.2f} ({low:.2f} to {high:.2f})"
        except Exception as error:  # whatever a program raises is the result
            good, row = False, f"| `{name}` | FAILED {type(error).__name__}: {str(error).splitlines()[0]}"
        failed += not good
        print(row + " |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
