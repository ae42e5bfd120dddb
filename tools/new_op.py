#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the room of a new operator. It compiles; its tests fail with "not written yet" until you fill it in.

    tools/new_op.py activation/gelu                              aclnnGelu in src/ops/activation/gelu/
    tools/new_op.py activation/gelu --api aclnnGeluV2            another name than the room's
    tools/new_op.py activation/gelu --into /somewhere/src/ops    elsewhere than in this checkout

No list is edited: CMake finds rooms by their *_spec.h. The files come from tools/room_template/, the header and the C functions from the row;
docs/adding_an_operator.md goes on from here.
"""
import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", metavar="family/room", help="snake_case, for example activation/gelu")
    parser.add_argument("--api", help="name of the phase-2 function; default aclnn<Room>")
    parser.add_argument("--into", type=pathlib.Path, default=HERE.parent / "src" / "ops", help="folder of the families")
    arguments = parser.parse_args()
    parts = arguments.room.split("/")
    if len(parts) != 2 or not all(NAME.fullmatch(part) for part in parts):
        parser.error(f"expected family/room in snake_case, got '{arguments.room}'")
    if arguments.api is not None and not re.fullmatch(r"aclnn[A-Z][A-Za-z0-9]*", arguments.api):
        parser.error(f"expected a name like aclnnGelu, got '{arguments.api}'")
    return arguments


def main():
    arguments = parse_arguments()
    family, room = arguments.room.split("/")
    camel = "".join(word.capitalize() for word in room.split("_"))
    api = arguments.api or "aclnn" + camel
    words = {"room": room, "Room": camel, "family": family, "api": api, "Name": api.removeprefix("aclnn")}

    def fill(text):
        return re.sub(r"@(\w+)@", lambda match: words[match.group(1)], text)

    folder = arguments.into / family / room
    if folder.exists():
        sys.exit(f"{folder} exists already")
    folder.mkdir(parents=True)
    for template in sorted((HERE / "room_template").iterdir()):
        (folder / fill(template.name)).write_text(fill(template.read_text()))
    print(f"{folder}: {api}\nnext: docs/adding_an_operator.md")


if __name__ == "__main__":
    main()
