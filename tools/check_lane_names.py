#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where one name of a target's namespace stands for two functions.

    check_lane_names.py build        checks the object files in the folder of a build
    check_lane_names.py --self-test  compiles such a pair, and an equal one, and sees that the first alone is found

The linker keeps one of two inline functions or templates of the same name, and calls of the other run it. Where the
compiler has inlined both nobody sees that, so that the build has to be one that inlines little: that of the fuzzers.
Two functions are told apart by their size.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

OF_TARGET = re.compile(r"\d+N_[A-Z]")    # a namespace like N_AVX2, mangled


def functions(object_file):
    """(name, size) of the functions of targets in an object file that the linker merges."""
    lines = subprocess.run(["nm", "--print-size", "--defined-only", object_file], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    for fields in map(str.split, lines):
        if len(fields) == 4 and fields[2] == "W" and OF_TARGET.search(fields[3]):
            yield fields[3], int(fields[1], 16)


def check(build):
    """The number of object files, and a text for each name with two sizes."""
    files = collections.defaultdict(dict)    # name -> size -> the first file
    objects = sorted(build.rglob("*.o"))
    for object_file in objects:
        for name, size in functions(object_file):
            files[name].setdefault(size, object_file)
    twice = {name: sizes for name, sizes in files.items() if len(sizes) > 1}
    shown = subprocess.run(["c++filt"], input="\n".join(twice), capture_output=True, text=True, check=True).stdout
    return len(objects), [f"{name} is not the same in {' and '.join(path.name for path in sizes.values())}"
                          for name, sizes in zip(shown.splitlines(), twice.values())]


def self_test():
    source = ("namespace N_AVX2 {{ template <class T> T Rows(T x) {{ return {}; }} }}\n"
              "int {}(int x) {{ return N_AVX2::Rows(x); }}\n")
    wrong = 0
    for second, expected in (("x * x * x - 7 / x", 1), ("x", 0)):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in (("one", "x"), ("two", second)):
                path = pathlib.Path(folder) / f"{name}.cc"
                path.write_text(source.format(body, name))
                subprocess.run(["c++", "-O0", "-c", path, "-o", path.with_suffix(".o")], check=True)
            found = check(pathlib.Path(folder))[1]
            if len(found) != expected:
                print(f"{second}: expected {expected}, found {found}")
                wrong += 1
    print(f"self-test: 2 cases, {wrong} wrong")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        sys.exit(__doc__)
    objects, found = check(pathlib.Path(arguments[0]))
    for text in found:
        print(text)
    print(f"{objects} object files, {len(found)} names of two functions")
    return 1 if found or objects == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
