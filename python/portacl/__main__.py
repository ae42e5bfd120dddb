# SPDX-License-Identifier: Apache-2.0
"""Runs PyTorch programs that were written for an Ascend card, unchanged.

    python -m portacl train.py [argument]...      a script
    python -m portacl -m package.train [argument]...   a module
    python -m portacl --check                     what was found, one operator of each pair, and two ranks
    python -m portacl doctor                      what was found, what is wrong, and the command that mends it

The toolkit is loaded first; operators that it lacks run on the CPU (PORTACL_FALLBACK=0: not at all; =report: with a table at
exit). Exit code 2 with one sentence when something is missing, else that of the program.
"""

import os
import runpy
import sys

from . import errors, pytorch


def _run_script(path, arguments):
    if not os.path.isfile(path):
        raise errors.SetupError(f"there is no script '{path}'")
    pytorch.prepare()
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    runpy.run_path(path, run_name="__main__")


def _run_module(name, arguments):
    pytorch.prepare()
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    try:
        if arguments[0] == "--check":
            from . import self_check
            return self_check.main()
        if arguments[0] == "doctor":
            from . import doctor
            return doctor.main(arguments[1:])
        if arguments[0] == "-m" and len(arguments) > 1:
            _run_module(arguments[1], arguments[2:])
        elif arguments[0].startswith("-"):
            raise errors.SetupError(f"unknown option '{arguments[0]}'; --help lists the options")
        else:
            _run_script(arguments[0], arguments[1:])
    except errors.SetupError as error:
        print(f"portacl: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
