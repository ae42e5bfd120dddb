#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program behind ./demo: its table has every operator whose family has no page of its own, it draws its
picture, and strict mode reports nothing.

    demo_test.py <repository> <scratch folder> <portacl> <demo>
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

repository, scratch, portacl, demo = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)

run = subprocess.run([demo, "--small", repository / "data/digits/digits.npy", scratch], env=os.environ | {"PORTACL_CHECK": "error"},
                     capture_output=True, text=True, check=False)
print(run.stdout, run.stderr)
assert run.returncode == 0, f"exit status {run.returncode}"
assert "WRONG" not in run.stdout
shown = set(re.findall(r"^(aclnn\w+) ", run.stdout, re.MULTILINE))


def names(*family):
    listed = subprocess.run([portacl, "ops", "--names", *family], capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


pages = (repository / "docs/families").glob("*.md")
rows = {name for family in {page.name.split(".")[0] for page in pages} for name in names(family)}
assert rows and shown <= names(), f"unknown: {shown - names()}"
assert names() - rows <= shown, f"not in the demo: {names() - rows - shown}"

# Every operator of a room is named above the picture of its result; the picture has the colours of all of them.
picture = ElementTree.parse(scratch / "digits.svg").getroot()
SVG = "{http://www.w3.org/2000/svg}"
texts = [text.text for text in picture.iter(f"{SVG}text")]
assert picture.tag == f"{SVG}svg" and {"input", "aclnnLogit", "aclnnCtcLossBackward"} <= set(texts), texts
colours = {path.get("stroke") for path in picture.iter(f"{SVG}path")}
assert {"#1e1e28", "#a50f1e", "#083c82"} <= colours and "#ff00ff" not in colours, colours

missing = subprocess.run([demo, scratch / "none.npy", scratch], capture_output=True, text=True, check=False)
assert missing.returncode == 2 and "none.npy" in missing.stderr, missing.stderr
usage = subprocess.run([demo], capture_output=True, text=True, check=False)
assert usage.returncode == 2 and "usage" in usage.stderr, usage.stderr
