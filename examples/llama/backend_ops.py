#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs llama.cpp's test-backend-ops on device CANN0, one operator after the other, and compares with expected.txt.

Each operator runs in a process of its own, because the client ends its process when a call fails. Prints a line for each; what differs from
the list ends with exit status 1, and the output of that operator is left in the folder of logs.
"""

import argparse
import collections
import csv
import io
import pathlib
import re
import subprocess
import sys
import time

DEVICE = "CANN0"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"(\d+)/(\d+) tests passed")


class Expected:
    """The line of an operator in the list."""

    def __init__(self, cases, part, pattern):
        self.cases = cases    # None: not counted
        self.part = part    # the number of cases with --every 10
        self.filter = pattern
        self.failing = []    # (number, regular expression)


def number(text):
    return None if text == "-" else int(text)


def read_expected(path):
    operators = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if fields[0] == "failing":
            operators[fields[1]].failing.append((int(fields[2]), re.compile(fields[3])))
        else:
            name, cases, part, pattern = fields
            operators[name] = Expected(number(cases), number(part), None if pattern == "-" else pattern)
    return operators


def claimed_cases(program):
    """The parameters of the cases that the backend claims, by operator, in their order. Some belong to other modes than the tests."""
    output = subprocess.run([program, "support", "-b", DEVICE, "--output", "csv"], check=True, capture_output=True, text=True).stdout
    table = output[output.index('"backend_name"'):]
    cases = collections.defaultdict(dict)
    for row in csv.DictReader(io.StringIO(table)):
        if row["supported"] == "1" and row["error_message"] == "yes":
            cases[row["op_name"]][row["op_params"]] = None
    return {name: list(parameters) for name, parameters in cases.items()}


def selection(name, expected, cases, every):
    """The arguments that select the cases of an operator."""
    if every == 1:
        return ["-o", name] + (["-p", expected.filter] if expected.filter else [])
    chosen = [case for case in cases if not expected.filter or re.search(expected.filter, case)][::every]
    return ["-o", ",".join(f"{name}({case})" for case in chosen)]


def run(program, arguments, log, limit):
    """(exit status or None when it took too long, output without colours)"""
    try:
        done = subprocess.run([program, "test", "-b", DEVICE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                              check=False)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, output = None, late.stdout or b""
    text = COLOUR.sub("", output.decode(errors="replace"))
    log.write_text(text, encoding="utf-8")
    return status, text


def judge(name, expected, every, status, text):
    """(the result, the mistakes in it)"""
    summary = SUMMARY.search(text)
    if summary is None:
        calls = re.findall(r"^  (aclnn\w+?)(?:GetWorkspaceSize)?\(", text, re.MULTILINE)
        why = "took too long" if status is None else f"the process ended with status {status}"
        return why, [why + (f", in {calls[-1]}" if calls else "")]
    passed, ran = int(summary[1]), int(summary[2])
    failed = re.findall(rf"^  {name}\((.*)\)$", text[text.find("\nFailing tests:"):], re.MULTILINE) if passed < ran else []
    wrong = []
    left = list(failed)
    for count, pattern in expected.failing:
        found = [case for case in left if pattern.search(case)]
        left = [case for case in left if not pattern.search(case)]
        if every == 1 and len(found) != count:
            wrong.append(f"{len(found)} cases fail instead of {count}: {pattern.pattern}")
    wrong += [f"fails: {name}({case})" for case in left]
    if len(failed) != ran - passed:
        wrong.append(f"{ran - passed} cases failed, {len(failed)} are named")
    want = expected.cases if every == 1 else expected.part if every == 10 else None
    if want is not None and ran != want:
        wrong.append(f"{ran} cases ran instead of {want}")
    if ran == 0:
        wrong.append("no case ran")
    known = len(failed) - len(left)
    return f"{passed} of {ran} passed" + (f", {known} fail as expected" if known else ""), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="test-backend-ops")
    parser.add_argument("--expected", type=pathlib.Path, required=True)
    parser.add_argument("--logs", type=pathlib.Path, required=True)
    parser.add_argument("--ops", help="these operators alone, apart by blanks")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth case alone")
    parser.add_argument("--limit", type=float, default=3600, help="seconds that an operator may take")
    arguments = parser.parse_args()
    operators = read_expected(arguments.expected)
    names = arguments.ops.split() if arguments.ops else [name for name, of in operators.items() if arguments.every == 1 or of.part]
    unknown = [name for name in names if name not in operators]
    if unknown:
        parser.error(f"{arguments.expected} does not name {', '.join(unknown)}")
    cases = claimed_cases(arguments.program)
    # An operator that the backend newly claims must be added to the list.
    problems = [] if arguments.ops else [f"{name}: {len(cases[name])} cases are claimed, the list lacks it"
                                         for name in sorted(set(cases) - set(operators))]
    arguments.logs.mkdir(parents=True, exist_ok=True)
    total = 0
    for name in names:
        began = time.monotonic()
        chosen = selection(name, operators[name], cases.get(name, []), arguments.every)
        log = arguments.logs / f"{name}.txt"
        status, text = run(arguments.program, chosen, log, arguments.limit)
        found, wrong = judge(name, operators[name], arguments.every, status, text)
        summary = SUMMARY.search(text)
        total += int(summary[2]) if summary else 0
        print(f"{'wrong' if wrong else 'ok':5}  {name:20}  {found}  ({time.monotonic() - began:.1f} s)", flush=True)
        problems += [f"{name}: {what}  [{log}]" for what in wrong]
    print(f"\n{len(names)} operators, {total} cases")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
