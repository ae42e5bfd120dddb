#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on comments of installed headers that a formatter broke, because it treats tables as text.

    check_comments.py FOLDER       checks the headers of include/ and those that a build wrote into its include folder
    check_comments.py --self-test  checks examples of each kind of broken comment, and correct ones
"""
import pathlib
import re
import sys

from check_headers import public_headers

COLUMNS = 120
COMMENT = re.compile(r"//+ ?(?P<text>.*)")
GAP = re.compile(r"\S {2,}(?=\S)")    # between the columns of a table


def problems_of(lines):
    """(line number, mistake) for each wrong line of a comment."""
    columns = set()    # the first columns of the table cells in the previous line
    before = ""
    for number, line in enumerate(lines, 1):
        match = COMMENT.fullmatch(line)
        text = match["text"] if match else ""
        if match and len(line) > COLUMNS:
            yield number, f"has more than {COLUMNS} columns"
        starts = {gap.end() for gap in GAP.finditer(text)}
        if starts and columns and not starts & columns:
            yield number, "joins two rows of a table, or its columns are not those of the row above"
        columns = (starts or columns) if text else set()
        words = text.split()
        if 1 <= len(words) <= 3 and not text.startswith(" "):
            following = COMMENT.fullmatch(lines[number]) if number < len(lines) else None
            if following and following["text"].startswith("    "):
                yield number, f"'{text}' is torn from the row of a table"
            elif before and not GAP.search(before) and len(before) + 1 + len(text) <= COLUMNS and not re.search(r"[:.]$|SPDX", before):
                yield number, f"'{text}' has room on the line above"
        before = line if text and not text.startswith(" ") else ""


def check(headers):
    for header in headers:
        for number, problem in problems_of(header.read_text(encoding="utf-8").splitlines()):
            yield f"{header}:{number}: {problem}"


SOUND = [
    "/// self    in   rank 0..8, any strides.\n///              May overlap out.\n/// dtype   in   one of these.\n",
    "///   float to float    rounded once\n///   float to integer  truncated\n///\n/// out  out  as self.\n",
    "/// " + "word " * 22 + "word\n/// and last.\n",
    "/// Returns 0.\n/// Threads: pure.\n",
    "/// Success.\n",
]
BROKEN = [
    "/// self   in   rank 0..8, any\n/// strides.\n///             May overlap out.\n",
    "///   float to float    rounded once\n///   NaN float to integer  truncated integer to integer    modulo\n",
    "/// A sentence that goes on\n/// and ends.\n",
    "/// self  in  " + "word " * 22 + "\n",
]


def self_test():
    wrong = [text for text in SOUND if list(problems_of(text.splitlines()))]
    wrong += [text for text in BROKEN if len(list(problems_of(text.splitlines()))) != 1]
    print("\n".join(wrong), end="")
    print(f"self-test: {len(SOUND) + len(BROKEN)} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    headers = list(public_headers(pathlib.Path(__file__).resolve().parent.parent, pathlib.Path(arguments[0])))
    problems = list(check(headers))
    print("\n".join([*problems, f"{len(headers)} headers, {len(problems)} problems"]))
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
