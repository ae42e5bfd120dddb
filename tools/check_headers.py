#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the functions that public headers declare with the lists of exported names.

Every declaration marked ACL_FUNC_VISIBILITY or ACLNN_API must have a comment, its own or that of the unbroken block of
declarations it stands in, and stand in exactly one list of tests/contract/exports/; every listed name must be declared;
lists are sorted. Prints what is wrong; exit status 1.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(r"^(?:ACL_FUNC_VISIBILITY|ACLNN_API)\s[^;(]*?(\w+)\(", re.MULTILINE)


def public_headers(root):
    yield from sorted((root / "include").rglob("*.h"))
    yield from sorted((root / "src" / "ops").rglob("aclnn_*.h"))


def check(root):
    problems = []
    declared = {}
    for header in public_headers(root):
        text = header.read_text(encoding="utf-8")
        for match in DECLARATION.finditer(text):
            name = match.group(1)
            if name in declared:
                problems.append(f"{header}: {name} is declared in {declared[name]}, too")
            declared[name] = header
            block = text[: match.start()].rsplit("\n\n", 1)[-1].lstrip("\n")
            if not block.startswith("///"):
                problems.append(f"{header}: {name} has no comment")

    listed = {}
    for path in sorted((root / "tests" / "contract" / "exports").glob("*.txt")):
        if path.stem in ("libportacl_python", "libhccl"):
            continue  # for the package for Python and for PyTorch's plug-in: no public header declares them
        names = path.read_text(encoding="utf-8").split()
        if names != sorted(names):
            problems.append(f"{path}: not sorted")
        for name in names:
            if name in listed:
                problems.append(f"{path}: {name} is listed in {listed[name]}, too")
            listed[name] = path

    for name in sorted(declared.keys() - listed.keys()):
        problems.append(f"{declared[name]}: {name} is in no list of exports")
    for name in sorted(listed.keys() - declared.keys()):
        problems.append(f"{listed[name]}: {name} is declared nowhere")
    return problems


if __name__ == "__main__":
    found = check(ROOT)
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
