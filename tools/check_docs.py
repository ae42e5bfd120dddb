#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the documentation shows, so that it cannot rot.

A fenced block counts when the line before it is one of these comments, which readers do not see:
    <!-- test: file NAME -->   the block is written to NAME in a scratch folder
    <!-- test: run -->         the block is run by bash -e there; `build/` leads to the build folder given, `docs/`, `examples/` and `python/` to ours
    <!-- test: output -->      the block is what the last run printed (process numbers, time stamps and times aside)

Usage: check_docs.py BUILD_FOLDER FILE.md...
Exit code 0 when every block holds, 1 otherwise, 2 for wrong usage or a file without any tested block.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
BLOCK = re.compile(r"<!-- test: (file (?P<name>[\w.]+)|run|output) -->\n```\w*\n(?P<text>.*?)^```$", re.S | re.M)


def normalised(text):
    """The text without the parts that differ from run to run."""
    text = re.sub(r"\[PID: \d+\]|PORTACL\(\d+\)", "PROCESS", text)
    text = re.sub(r"[\d.]+ (ns|us|ms|s|GB/s)\b|median of \d+ runs", "MEASURED", text)
    return re.sub(r"\d{4}(-\d\d){3}(:\d\d){2}(\.\d{3}){2}", "TIME", text).strip()


def check(path, build):
    """The number of tested blocks in `path`, and the list of mistakes."""
    complaints = []
    printed = ""
    blocks = list(BLOCK.finditer(path.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "build").symlink_to(build)
        (folder / "examples").symlink_to(EXAMPLES)
        (folder / "docs").symlink_to(EXAMPLES.parent / "docs")
        (folder / "python").symlink_to(EXAMPLES.parent / "python")
        for block in blocks:
            text, line = block["text"], path.read_text(encoding="utf-8").count("\n", 0, block.start()) + 1
            if block["name"]:
                (folder / block["name"]).write_text(text, encoding="utf-8")
            elif block[1] == "run":
                environment = os.environ | {"PORTACL_TOOLKIT": str(build / "toolkit")}
                run = subprocess.run(["bash", "-euc", text], cwd=folder, env=environment, text=True, capture_output=True, check=False)
                printed = run.stdout
                if run.returncode != 0:
                    complaints.append(f"{path}:{line}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
            elif normalised(text) != normalised(printed):
                complaints.append(f"{path}:{line}: the page shows\n{text}\nthe program printed\n{printed}")
    return len(blocks), complaints


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    build = pathlib.Path(arguments[0]).resolve()
    failed = False
    for name in arguments[1:]:
        count, complaints = check(pathlib.Path(name), build)
        print(f"{name}: {count} blocks, {len(complaints)} wrong")
        if count == 0:
            return 2
        for complaint in complaints:
            failed = True
            print(complaint)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
