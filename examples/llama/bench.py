#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs llama-bench on CANN0 and on llama.cpp's CPU backend, in turns, and prints the medians as a table.

    bench.py --program llama-bench --models 'build/llama/drawn/half-{kind}.gguf'

Tokens per second of a prompt of 64 and of 16 answered.
"""

import argparse
import json
import statistics
import subprocess
import sys

KINDS = ("F16", "F32", "Q8_0", "Q4_0")
NPU = ["-dev", "CANN0", "-ngl", "99"]
CPU = ["-dev", "none", "-ngl", "0", "-nopo", "1"]
CONTESTANTS = {"CANN0, `-t 2`": [*NPU, "-t", "2"], "CANN0, `-t 1`": [*NPU, "-t", "1"], "CPU backend, `-t 2`": [*CPU, "-t", "2"]}


def speeds(program, model, options):
    """{"prompt": tokens per second, "answer": tokens per second}"""
    done = subprocess.run([program, "-m", model, "-p", "64", "-n", "16", "-r", "1", "-o", "json", *options], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {"prompt" if row["n_prompt"] else "answer": row["avg_ts"] for row in json.loads(done.stdout)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="llama-bench")
    parser.add_argument("--models", required=True, help="their paths; {kind} stands for f16, f32, q8_0, q4_0")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    print(f"| | {' | '.join(CONTESTANTS)} |\n|---|{'---|' * len(CONTESTANTS)}")
    for kind in arguments.kinds:
        model = arguments.models.format(kind=kind.lower())
        samples = {name: [] for name in CONTESTANTS}
        for number in range(arguments.rounds):
            for name, options in CONTESTANTS.items():
                samples[name].append(speeds(arguments.program, model, options))
            print(f"{kind}, round {number + 1}: " + ", ".join(
                f"{name} {of[-1]['prompt']:.0f} {of[-1]['answer']:.1f}" for name, of in samples.items()), file=sys.stderr)
        for part, digits in (("prompt", 0), ("answer", 1)):
            medians = [statistics.median(sample[part] for sample in of) for of in samples.values()]
            print(f"| {kind}, {part} | {' | '.join(f'{median:.{digits}f}' for median in medians)} |", flush=True)


if __name__ == "__main__":
    main()
