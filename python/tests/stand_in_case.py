# SPDX-License-Identifier: Apache-2.0
"""A folder with packages that stand for those of a user, for tests that need neither PyTorch nor its plug-in."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
ROOT = os.environ["PORTACL_TOOLKIT"]


class StandInCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def install(self, name, version, module=None, text=""):
        """A distribution as pip leaves it, and its module."""
        record = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        record.mkdir()
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="ascii")
        if module:
            (self.folder / module).mkdir(exist_ok=True)
            (self.folder / module / "__init__.py").write_text(text, encoding="ascii")

    def run_python(self, *arguments, **variables):
        """Runs Python with this package and those of the folder alone. Returns the result of subprocess.run."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "PORTACL_TOOLKIT": ROOT,
                       "PYTHONPATH": os.pathsep.join((str(PACKAGE), str(self.folder))), **variables}
        return subprocess.run([sys.executable, "-S", *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300)
