#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test, unless it has passed before with everything the same.

    run_once.py --build <folder> [--data <file or folder>]... -- <command>...

A test that passed leaves a file in the folder PORTACL_TEST_CACHE, named by a digest of all that the result depends on:
the command, the files among its words, the shared libraries that a program loads, the data, the environment and the
processor. Without that variable, or with an empty one, every test runs.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

PASSED_BEFORE = "passed before: program, data and environment are the same (PORTACL_TEST_CACHE= runs it again)"
VARIABLES = re.compile(r"(PORTACL|GTEST|QEMU|[ATL]SAN|UBSAN|ASCEND|HCCL|TEST|ACL|LC|PYTHON)_|(LD_LIBRARY_PATH|LD_PRELOAD|LANG|OMP_NUM_THREADS)$")
NOT_OF_THE_TEST = {"PORTACL_TEST_CACHE", "PORTACL_CI_SECONDS", "PORTACL_CI_TURN", "PORTACL_FUZZ_SECONDS"}
SYSTEM_FOLDERS = [pathlib.Path(root) for root in (
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib")]


class Digest:
    def __init__(self, build):
        self.build = build
        self.source = pathlib.Path(__file__).resolve().parent.parent
        self.hash = hashlib.sha256()
        self.seen = set()

    def add(self, *parts):
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self.hash.update(b"%d:" % len(data) + data)

    def add_word(self, word):
        # The paths are replaced, so that the same build in another folder gives the same digest.
        self.add(word.replace(str(self.build), "<build>").replace(str(self.source), "<source>"))

    def add_file(self, path):
        path = pathlib.Path(path).resolve()
        if path in self.seen:
            return
        self.seen.add(path)
        if not path.is_relative_to(self.source):    # a file of the system: packages keep the time stamps of their files
            status = path.stat()
            self.add(path, status.st_size, status.st_mtime_ns)
            return
        content = path.read_bytes()
        self.add_word(str(path))
        self.add(content)
        if content.startswith(b"\x7fELF"):
            self.add_libraries(path)

    def add_libraries(self, program):
        dynamic = subprocess.run(["readelf", "--dynamic", "--wide", program], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
            ours = self.build / "lib64" / name
            for library in [ours] if ours.exists() else [folder / name for folder in SYSTEM_FOLDERS]:
                if library.exists():
                    self.add_file(library)

    def add_data(self, path):
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    self.add_file(file)
        else:
            self.add_file(path)


def processor():
    """The first processor in /proc/cpuinfo, without the values that change."""
    text = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    return re.sub(r"^(cpu MHz|bogomips|BogoMIPS|apicid|initial apicid|core id).*\n", "", text, flags=re.MULTILINE)


def digest(build, command, data):
    result = Digest(build)
    result.add(os.cpu_count(), processor(), os.uname().release)
    for name, value in sorted(os.environ.items()):
        if VARIABLES.match(name) and name not in NOT_OF_THE_TEST:
            result.add(name)
            result.add_word(value)
    for word in command:
        result.add_word(word)
        file = word if "/" in word else shutil.which(word)
        if file and pathlib.Path(file).is_file():
            result.add_file(file)
    plugins = build / "lib64" / "portacl"    # opened by the libraries
    if plugins.is_dir() and any(path.parent == build / "lib64" for path in result.seen):
        result.add_data(plugins)
    for path in data:
        result.add_data(path)
    return result.hash.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, action="append", default=[])
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    cache = os.environ.get("PORTACL_TEST_CACHE")
    if not cache:
        os.execvp(arguments.command[0], arguments.command)
    passed = pathlib.Path(cache) / digest(arguments.build.resolve(), arguments.command, arguments.data)
    if passed.exists():
        passed.touch()    # the oldest files are deleted first
        print(PASSED_BEFORE)
        return 0
    status = subprocess.run(arguments.command, check=False).returncode
    if status == 0:
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
