#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""msprof: makes of a profile that aclprof* wrote what PyTorch's plug-in reads, in its folder mindstudio_profiler_output: the trace with the
times of the day (msprof_*.json), and a table of the operators (op_summary_*.csv)."""

import argparse
import csv
import decimal
import json
import pathlib
import re
import sys
import time

DEVICES = 100           # the process of the first device in traces
PROCESSES = 10_000_000  # process numbers of the system are below this
SEEN_AFTER_S = 1
OPERAND = re.compile(r"(\S+) ([A-Z0-9_]+)\[([0-9,]*)\]")
COLUMNS = ["Device_id", "Op Name", "OP Type", "Task Type", "Task Start Time(us)", "Task Duration(us)", "Task Wait Time(us)", "Block Num",
           "Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats"]


def shift(event, offset):
    """The event with times of the day as text, since JSON numbers have too few digits for them."""
    event["pid"] += PROCESSES
    if "ts" in event:
        event["ts"] = str(event["ts"] + offset)
    if "dur" in event:
        event["dur"] = float(event["dur"])
    if event.get("cat") == "flow":
        event["cat"] = "HostToDevice"
    return event


def row(event, previous_end):
    names = event["args"]["outputs"].split()
    inputs, outputs = [], []
    for name, dtype, shape in OPERAND.findall(event["args"]["operands"]):
        (outputs if name in names else inputs).append((shape, dtype, "ND"))
    wait = max(decimal.Decimal(0), event["ts"] - previous_end) if previous_end is not None else 0
    kind = event["name"].removeprefix("aclnn")
    return [event["pid"] - DEVICES, event["name"], kind, "AI_CPU", event["ts"], event["dur"], wait, 1,
            *(";".join(texts) for operands in (inputs, outputs) for texts in (list(zip(*operands)) or [(), (), ()]))]


def export(folder):
    start = json.loads((folder / "host" / "start_info").read_text(encoding="utf-8"))
    offset = decimal.Decimal(start["collectionTimeBegin"]) - decimal.Decimal(start["clockMonotonic"]) / 1000
    events = json.loads((folder / "trace.json").read_text(encoding="utf-8"), parse_float=decimal.Decimal)
    rows, ends = [], {}
    for event in events:
        if event["ph"] != "X" or event["pid"] < DEVICES or event["cat"] == "order":
            continue
        stream = event["pid"], event["tid"]
        timed = event | {"ts": event["ts"] + offset}
        if event["cat"] == "operator":
            rows.append(row(timed, ends.get(stream)))
        ends[stream] = timed["ts"] + event["dur"]
    output = folder / "mindstudio_profiler_output"
    output.mkdir(exist_ok=True)
    number = folder.name.split("_")[2]
    (output / f"msprof_{number}.json").write_text(json.dumps([shift(event, offset) for event in events], default=float), encoding="utf-8")
    # The table appears under its name only when it is complete: the plug-in takes it as the sign that all files are
    # complete.
    table = output / f"op_summary_{number}.csv"
    with table.with_suffix(".part").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *sorted(rows, key=lambda fields: fields[4])])
    table.with_suffix(".part").replace(table)
    # The plug-in checks for the table every 0.1 s, and gives up when this process ends before it was found.
    time.sleep(SEEN_AFTER_S)


def main():
    parser = argparse.ArgumentParser(prog="msprof", description=__doc__, allow_abbrev=False)
    parser.add_argument("--export", choices=("on",), help="make the tables")
    parser.add_argument("--analyze", choices=("on",), help="accepted; there is nothing to add")
    parser.add_argument("--output", required=True, type=pathlib.Path, help="the folder PROF_*")
    arguments = parser.parse_args()
    try:
        if arguments.export:
            export(arguments.output)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"msprof: expected a folder that aclprofStart made, got '{arguments.output}': {error}")


if __name__ == "__main__":
    main()
