# SPDX-License-Identifier: Apache-2.0
"""The command `portacl` of an installed package, which runs the toolkit's program."""

import os
import sys

from . import toolkit


def main():
    program = str(toolkit.find() / "bin" / "portacl")
    os.execv(program, [program, *sys.argv[1:]])
