#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of the programs in python/tests/programs goes on "npu" and on the CPU. Needs torch, torch-npu and perf (Debian: linux-perf).

    program_costs.py [--limit 1.25] [--samples 2000] [--threads 1] [--into docs/pytorch.md]... [name]...

Prints a Markdown row for each program whose step takes more than --limit times the CPU's, in processor time of --threads threads; --into writes these
rows between the marks of a page, too. perf takes samples of the process during some steps on either device, in turns; a sample counts for the
library that it lies in. PyTorch's libraries both call and compute: the names of functions tell which.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "python" / "tests" / "programs"
BEGIN, END = "<!-- costs: begin (written by bench/program_costs.py) -->", "<!-- costs: end -->"
FREQUENCY = 2000    # samples in a second of processor time
TURNS = 3    # the devices take turns, so that other programs of the machine disturb both alike
THREADS = "OMP_NUM_THREADS", "PORTACL_NUM_THREADS"

# Whose time a sample is: the first pattern that the path of its library contains. The rest is the C library's and the system's.
OWNERS = [(owner, re.compile(pattern)) for owner, pattern in (
    ("toolkit", r"/lib(ascendcl|acl_rt|nnopbase|opapi\w*|ascend_hal)\.so"),
    ("plug-in", r"/torch_npu/"),
    ("fallback", r"/fallback-\w+\.so|/torch-[\d.]+-\w+\.so"),
    ("PyTorch", r"/torch/|/lib(gomp|torch)"),
    ("Python", r"python"),
)]
COMPUTES = re.compile(r"AVX2|AVX512|DEFAULT|mkl_|dnnl|jit_|gemm|cpublas|vectorized|[Ss]leef")
CALLS, COMPUTING = "PyTorch, calls", "PyTorch, computing"
PARTS = ("Python", CALLS, COMPUTING, "plug-in", "fallback", "toolkit", "system")
ON_NPU_ALONE = ("plug-in", "fallback", "toolkit")


def part_of(symbol, library):
    owner = next((owner for owner, pattern in OWNERS if pattern.search(library)), None)
    if owner == "PyTorch":
        return COMPUTING if COMPUTES.search(symbol) else CALLS
    if owner is None and ("anon" in library or "unknown" in library):    # code that oneDNN has generated
        return COMPUTING
    return owner or "system"


class Recording:
    """Samples of this process, taken by perf while the recording is on."""

    def __init__(self, path):
        self.path = path
        fifos = path + ".control", path + ".answer"
        for fifo in fifos:
            os.mkfifo(fifo)
        event = "cpu-clock" if os.geteuid() == 0 else "cpu-clock:u"
        self.perf = subprocess.Popen(["perf", "record", "-q", "-e", event, "-F", str(FREQUENCY), "-p", str(os.getpid()), "--delay=-1",
                                      "--control=fifo:" + ",".join(fifos), "-o", path])
        self.commands, self.answers = open(fifos[0], "w", encoding="ascii"), open(fifos[1], "rb")

    def tell(self, command):
        print(command, file=self.commands, flush=True)
        self.answers.readline()

    def samples(self):
        """Ends the recording. {part: number of samples}"""
        self.tell("stop")
        self.perf.wait()
        self.commands.close()
        self.answers.close()
        command = ["perf", "script", "-i", self.path, "-F", "ip,sym,dso", "--no-demangle"]    # demangling takes minutes
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
        found = (re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line) for line in lines)
        return collections.Counter(part_of(*each.groups()) for each in found if each)


def costs(names, samples):
    """For the child process: yields (name, {device: {part: milliseconds of a step}}) of each program."""
    sys.path[:0] = [str(PROGRAMS), str(ROOT / "python")]
    import run

    for name in names:
        programs = {device: run.begin(name, device) for device in ("cpu", "npu")}
        for device, program in programs.items():
            run.seconds_of(program, 5, device)
        steps = max(3, round(samples / TURNS / FREQUENCY / run.seconds_of(programs["cpu"], 3, "cpu")))
        with tempfile.TemporaryDirectory() as folder:
            recordings = {device: Recording(os.path.join(folder, device)) for device in programs}
            for _ in range(TURNS):
                for device, program in programs.items():
                    recordings[device].tell("enable")
                    run.seconds_of(program, steps, device)
                    recordings[device].tell("disable")
            found = {device: recording.samples() for device, recording in recordings.items()}
        yield name, {device: {part: counts[part] / FREQUENCY / TURNS / steps * 1e3 for part in PARTS} for device, counts in found.items()}


def row(name, cpu, npu):
    step, on_npu = sum(cpu.values()), sum(npu.values())
    cells = [f"{npu[part]:.2f}" if part in ON_NPU_ALONE else f"{npu[part]:.2f} ({cpu[part]:.2f})" for part in PARTS]
    return f"| `{name}` | {on_npu / step:.2f} | {(step + npu['plug-in']) / step:.2f} | " + " | ".join(cells) + " |"


def write_into(page, rows):
    """Replaces the rows of the table between the marks; its two lines of headings stay."""
    text = page.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    headings = text[begin:end].strip().splitlines()[:2]
    page.write_text("\n".join([text[:begin], *headings, *rows, text[end:]]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--limit", type=float, default=1.25, help="programs that take more than this times the CPU's time get a row")
    parser.add_argument("--samples", type=int, default=2000, help="of each program on each device")
    parser.add_argument("--threads", type=int, default=1, help="of either side")
    parser.add_argument("--into", type=pathlib.Path, action="append", default=[], help="a page whose rows are replaced")
    parser.add_argument("names", nargs="*", help="all programs without names")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        for name, of_devices in costs(arguments.names, arguments.samples):
            print(json.dumps([name, of_devices]), flush=True)
        return
    # The program that changes names of torch comes last.
    all_names = (path.stem for path in PROGRAMS.glob("*.py") if path.stem != "run")
    names = arguments.names or sorted(all_names, key=lambda name: (name == "cuda_script", name))
    rows = []
    with subprocess.Popen([sys.executable, __file__, "--child", "--samples", str(arguments.samples), *names], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **dict.fromkeys(THREADS, str(arguments.threads))}) as child:
        for line in child.stdout:
            name, of_devices = json.loads(line)
            if sum(of_devices["npu"].values()) > arguments.limit * sum(of_devices["cpu"].values()):
                rows.append(row(name, of_devices["cpu"], of_devices["npu"]))
                print(rows[-1], flush=True)
    if child.returncode:
        sys.exit(f"the process that runs the programs ended with {child.returncode}")
    for page in arguments.into:
        write_into(page, rows)


if __name__ == "__main__":
    main()
