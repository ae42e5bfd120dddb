# SPDX-License-Identifier: Apache-2.0
"""The command `portacl` of an installed package, which runs the toolkit's program, and doctor, which examines the package itself."""

import os
import sys

from . import toolkit


def main():
    if sys.argv[1:2] == ["doctor"]:
        from . import doctor

        sys.exit(doctor.main(sys.argv[2:]))
    program = str(toolkit.find() / "bin" / "portacl")
    os.execv(program, [program, *sys.argv[1:]])
