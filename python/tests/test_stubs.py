# SPDX-License-Identifier: Apache-2.0
"""The package's stubs, which tools/python_stubs.py writes: they are Python, and declare what the package has."""

import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import portacl

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "python_stubs.py"


def written_stubs():
    """The stubs, executed as a module: their functions have signatures, and no body."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "stubs.py")
        subprocess.run([sys.executable, str(SCRIPT), str(path), str(pathlib.Path(os.environ["PORTACL_TOOLKIT"], "bin", "portacl"))], check=True)
        spec = importlib.util.spec_from_file_location("stubs", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def shape(function):
    """Names of the parameters, how they are given, and whether they may be left out."""
    return [(parameter.name, parameter.kind, parameter.default is None) for parameter in inspect.signature(function).parameters.values()]


class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stubs = written_stubs()

    def test_each_operator_has_the_signature_of_its_function(self):
        declared = {name for name in vars(self.stubs) if name.startswith("aclnn") and not name.endswith("Results")}
        self.assertEqual(declared, set(portacl.operators()))
        for name in declared:
            self.assertEqual(shape(getattr(self.stubs, name)), shape(getattr(portacl, name)), name)

    def test_several_results_have_their_names(self):
        self.assertEqual(self.stubs.aclnnCtcLossResults._fields, ("negLogLikelihoodOut", "logAlphaOut"))
        self.assertIs(inspect.signature(self.stubs.aclnnCtcLoss).return_annotation, self.stubs.aclnnCtcLossResults)

    def test_other_names_are_those_of_the_package(self):
        for name in ("run", "prepare", "operators"):
            self.assertEqual(shape(getattr(self.stubs, name)), shape(getattr(portacl, name)), name)
        self.assertEqual(self.stubs.aclnnLogit.__annotations__["input"], self.stubs.Array)


if __name__ == "__main__":
    unittest.main()
