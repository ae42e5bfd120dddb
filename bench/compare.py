#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Portacl beside its peers, in turns, in one process a number of threads, on the same memory.

Writes results.json, results.md and, where matplotlib is installed, results.png. bench/run builds what this needs and
calls it; docs/benchmarks.md tells how it measures. Exit status 1 when an output of Portacl's is wrong or a process
failed.
"""
import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from machine import commit, load, machine_line
from report import markdown, plot, publish
from rows import PLANS
from summary import summarise

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("size", "shape", "overhead", "layout", "growth", "loaded")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", dest="plan", action="store_const", const="quick", default="full",
                        help="5 rounds instead of 15, and nothing is repeated: a minute or two")
    parser.add_argument("--plan", choices=sorted(PLANS), help="tiny: sizes for the test of the instrument itself")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, default 1,2")
    parser.add_argument("--operators", default="", help="for example aclnnLogit,aclnnLogitGrad; default: all")
    parser.add_argument("--dtypes", default="", help="for example FLOAT,BFLOAT16; default: all")
    parser.add_argument("--labels", default="", help="of sizes, shapes or layouts, for example L3; default: all")
    parser.add_argument("--rounds", type=int, help="instead of the plan's")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of rows, default all: " + ",".join(KINDS))
    parser.add_argument("--without-torch", action="store_true", help="leave PyTorch out although it is installed")
    parser.add_argument("--without-onednn", action="store_true", help="leave oneDNN out although it is installed")
    parser.add_argument("--spread", type=float, default=1.25, help="p90/p10 above which a row counts as disturbed")
    parser.add_argument("--rest", type=float, default=0.008, help="seconds of rest before each sample, until no thread is busy in them")
    parser.add_argument("--library", type=pathlib.Path,
                        default=HERE.parent / "build/release/bench/libportacl_bench.so")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parent / "build/bench",
                        help="folder of the results")
    parser.add_argument("--add", action="store_true",
                        help="keep what --output has of other rows, measured on this machine from the same commit")
    parser.add_argument("--into", type=pathlib.Path, help="a folder that keeps this run: docs/benchmarks")
    arguments = parser.parse_args()
    arguments.kinds = arguments.kinds.split(",")
    unknown = set(arguments.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no kind of rows: {', '.join(sorted(unknown))}")
    return arguments


def measure(arguments, threads, torch, onednn):
    """The results of one process, which measure.py is."""
    with tempfile.TemporaryDirectory() as scratch:
        settings, result = pathlib.Path(scratch) / "settings.json", pathlib.Path(scratch) / "result.json"
        settings.write_text(json.dumps({
            "threads": threads, "plan": arguments.plan, "kinds": arguments.kinds, "torch": torch,
            "onednn": str(onednn.resolve()) if onednn else "",
            "operators": [name for name in arguments.operators.split(",") if name],
            "dtypes": [name for name in arguments.dtypes.split(",") if name],
            "labels": [name for name in arguments.labels.split(",") if name], "rounds": arguments.rounds,
            "spread_bound": arguments.spread, "rest": arguments.rest,
            "library": str(arguments.library.resolve()), "build": str(arguments.output.resolve())}), encoding="utf-8")
        environment = {**os.environ, "PORTACL_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads),
                       "TORCHINDUCTOR_COMPILE_THREADS": "1"}    # else its compiler processes live on beside us
        command = [sys.executable, str(HERE / "measure.py"), str(settings), str(result)]
        run = subprocess.run(command, env=environment, check=False)
        if run.returncode != 0:
            sys.exit(f"measuring with {threads} threads failed")
        return json.loads(result.read_text(encoding="utf-8"))


def identity(row):
    """What tells a row from all others of a report."""
    return tuple(row[key] for key in ("kind", "operator", "dtype", "data", "label", "threads"))


def read_earlier(results, path, keys):
    """The results in the file `path`, which ends the program where one of `keys` differs from these."""
    earlier = json.loads(path.read_text(encoding="utf-8"))
    for key in keys:
        if earlier[key] != results[key]:
            sys.exit(f"--add: {path} has results of another {key}: '{earlier[key]}', not '{results[key]}'")
    return earlier


def add_earlier(results, path):
    """Adds the results in the file `path` but for rows that were measured again; in the order of operators."""
    earlier = read_earlier(results, path, ("machine", "commit", "plan", "rounds", "target"))
    measured = {identity(row) for row in results["rows"]}
    rows = [row for row in earlier["rows"] if identity(row) not in measured] + results["rows"]
    results["rows"] = sorted(rows, key=lambda row: row["operator"])
    results["load_before"] = max(earlier["load_before"], results["load_before"])
    results["peers"] = {**earlier["peers"], **results["peers"]}


def main():
    arguments = parse_arguments()
    torch = not arguments.without_torch and importlib.util.find_spec("torch") is not None
    onednn = arguments.library.with_name("libonednn_bench.so")    # built where oneDNN is installed
    if arguments.without_onednn or not onednn.exists():
        onednn = None
    arguments.output.mkdir(parents=True, exist_ok=True)
    results = {
        "machine": machine_line(), "commit": commit(HERE), "load_before": load(), "plan": arguments.plan,
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": "bench/run " + " ".join(sys.argv[1:]), "rounds": arguments.rounds or PLANS[arguments.plan]["rounds"],
        "spread_bound": arguments.spread, "peers": {}, "rows": []}
    adds = arguments.add and (arguments.output / "results.json").exists()
    if adds:    # before anything is measured in vain
        read_earlier(results, arguments.output / "results.json", ("machine", "commit", "plan", "rounds"))
    for threads in map(int, arguments.threads.split(",")):
        part = measure(arguments, threads, torch, onednn)
        results["target"] = part["target"]
        results["peers"].update(part["peers"])
        results["rows"] += [summarise(row) for row in part["rows"]]

    if adds:
        add_earlier(results, arguments.output / "results.json")
    (arguments.output / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    (arguments.output / "results.md").write_text(markdown(results), encoding="utf-8")
    if arguments.into:
        publish(arguments.into, results)
    print(f"{arguments.output}/results.json and results.md: {len(results['rows'])} rows")
    print(plot(results, arguments.output / "results.png"))
    wrong = [row for row in results["rows"] if "Portacl" in row["refused"]]
    for row in wrong:
        print(f"WRONG: {row['operator']} {row['dtype']} {row['data']} {row['label']}: {row['refused']['Portacl']}")
    return 1 if wrong or not results["rows"] else 0


if __name__ == "__main__":
    sys.exit(main())
