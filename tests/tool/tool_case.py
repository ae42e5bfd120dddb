# SPDX-License-Identifier: Apache-2.0
"""Shared code of the tests of portacl: the command that starts the program, and files for it."""

import array
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
COMMAND = sys.argv[2:]
LOGIT = ["run", "aclnnLogitGrad"]


def npy(values, code="f", shape=None, fortran=False, order="<"):
    """The content of a .npy file; `code` is a type code of the struct module."""
    descr = {"f": "f4", "d": "f8", "e": "f2", "i": "i4", "q": "i8", "?": "b1", "B": "u1"}[code]
    header = f"{{'descr': '{order}{descr}', 'fortran_order': {fortran}, 'shape': {shape or (len(values),)}, }}\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    return start + struct.pack(f"{order}{len(values)}{code}", *values)


def values_of(path):
    """The float32 values of a file that the tool wrote, and its header."""
    content = path.read_bytes()
    end = 10 + struct.unpack("<H", content[8:10])[0]
    assert end % 64 == 0, "the data of a .npy file is aligned"
    return array.array("f", content[end:]).tolist(), content[10:end].decode()


class ToolCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.x = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
        self.dy = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        self.file("x.npy", npy(self.x, shape=(2, 3)))
        self.file("dy.npy", npy(self.dy, shape=(2, 3)))

    def file(self, name, content):
        (self.folder / name).write_bytes(content)

    def run_tool(self, *arguments, code=0, **environment):
        """The finished process; fails unless it ends with `code`."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PORTACL_SOC", "ASCEND_"))} | environment
        run = subprocess.run([*COMMAND, *map(str, arguments)], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, code, f"{arguments}\n{run.stdout}{run.stderr}")
        if code != 0 and arguments[0] != "missing":
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            self.assertTrue(run.stderr.startswith("portacl: "), run.stderr)
        return run

    def output(self, *arguments, **environment):
        return self.run_tool(*arguments, **environment).stdout

    def json(self, *arguments, **environment):
        return json.loads(self.output(*arguments, "--json", **environment))

    def complaint(self, code, *arguments, **environment):
        return self.run_tool(*arguments, code=code, **environment).stderr
