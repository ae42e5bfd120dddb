# SPDX-License-Identifier: Apache-2.0
"""Which versions of PyTorch and its plug-in are accepted, that the package is written for Python 3.9, and that its modules import in one direction."""

import ast
import contextlib
import graphlib
import importlib.metadata
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

from portacl import errors, kernels, pytorch, toolkit, versions

PACKAGE = pathlib.Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def installed(torch, torch_npu, *, cuda=False):
    """Stands in for packages of these versions (None: not installed), whose torch is built for CUDA or not."""
    def version(package):
        found = {"torch": torch, "torch-npu": torch_npu}[package]
        if found is None:
            raise importlib.metadata.PackageNotFoundError(package)
        return found

    modules = {name: module for name, module in sys.modules.items() if name != "torch_npu._C"}
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder, "lib", "libc10_cuda.so")
        library.parent.mkdir()
        if cuda:
            library.touch()
        with mock.patch.object(importlib.metadata, "version", version), mock.patch.object(pytorch, "_folder_of_torch", lambda: folder), \
                mock.patch.object(toolkit, "find"), mock.patch.object(kernels, "check"), mock.patch.dict(sys.modules, modules, clear=True):
            yield folder


class Pairs(unittest.TestCase):
    def assert_refused(self, sentence):
        with self.assertRaisesRegex(errors.SetupError, sentence) as caught:
            pytorch.check()
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception

    def test_each_pair_is_accepted(self):
        for pair in versions.PAIRS:
            for local in ("", "+cpu"):
                with self.subTest(pair=pair), installed(pair.torch + local, pair.torch_npu):
                    pytorch.check()

    def test_another_is_refused_and_the_nearest_named(self):
        for torch, torch_npu, nearest in (
            ("2.10.0+cpu", "2.10.0", "2.10.0.post4"),    # as pip installs without a number of the plug-in
            ("2.10.0", "2.9.0.post9", "2.10.0.post4"),
            ("2.9.1", "2.9.1", "2.9.0.post9"),
            ("2.5.1", "2.5.1.post1", "2.7.1.post11"),
            ("2.13.1", "2.13.0", "2.13.0"),
            ("3.0.0", "3.0.0", "2.13.0"),
            ("unknown", "2.13.0", "2.7.1.post11"),
        ):
            pair = next(pair for pair in versions.PAIRS if pair.torch_npu == nearest)
            with self.subTest(torch=torch, torch_npu=torch_npu), installed(torch, torch_npu):
                self.assert_refused(f"^torch {re.escape(torch)} with torch-npu {torch_npu} is not a pair that portacl was tested with; "
                                    f"the nearest is {pair.torch} with {nearest}: pip install torch=={pair.torch} --index-url [^ ]+/cpu; "
                                    f"pip install torch-npu=={nearest}$")

    def test_of_two_that_are_as_near_the_newer_is_named(self):
        self.assertEqual(versions.nearest("2.11.0").torch, "2.10.0")
        with mock.patch.object(versions, "PAIRS", (versions.Pair("2.10.0", "2.10.0.post4"), versions.Pair("2.12.0", "2.12.0.post3"))):
            self.assertEqual(versions.nearest("2.11.0").torch, "2.12.0")

    def test_missing_packages(self):
        for torch, torch_npu, sentence in (
            (None, None, "the package torch is not installed .tested: pip install torch==2.13.0 .*; pip install torch-npu==2.13.0.$"),
            ("2.13.0+cpu", None, "the package torch-npu is not installed .*; pip install torch-npu==2.13.0.$"),
            ("2.9.0", None, "the package torch-npu is not installed .*; pip install torch-npu==2.9.0.post9.$"),
        ):
            with self.subTest(torch=torch), installed(torch, torch_npu):
                self.assert_refused(sentence)

    def test_builds_for_cuda(self):
        for torch, torch_npu, nearest in (("2.13.0", "2.13.0", "2.13.0"), ("2.11.0", "2.11.0.post3", "2.10.0.post4"),
                                          ("2.13.0", "2.12.0rc1", "2.13.0"), ("2.9.0", "2.14.0", "2.9.0.post9")):
            with self.subTest(torch_npu=torch_npu), installed(torch, torch_npu, cuda=True) as folder:
                error = self.assert_refused(f"torch {torch} in {folder} is a build for CUDA, with which torch-npu {torch_npu} would end the process "
                                            f"as it is loaded; install PyTorch's build for the CPU: pip install torch==.*/cpu; "
                                            f"pip install torch-npu=={nearest}$")
                self.assertIsInstance(error, pytorch.WrongBuild)
        for pair in versions.PAIRS:
            if versions.release(pair.torch_npu) < (2, 11):
                with self.subTest(pair=pair), installed(pair.torch, pair.torch_npu, cuda=True):
                    pytorch.check()


class Language(unittest.TestCase):
    def test_the_package_needs_python_3_9(self):
        files = [path for path in PACKAGE.rglob("*.py") if "tests" not in path.parts]
        self.assertGreater(len(files), 20)
        for path in files:
            with self.subTest(path=path.name):
                ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
        with self.assertRaises(SyntaxError):
            ast.parse("match 1:\n    case 1: pass\n", feature_version=(3, 9))


class Imports(unittest.TestCase):
    def test_no_module_imports_one_that_imports_it(self):
        modules = {}
        for path in PACKAGE.joinpath("portacl").rglob("*.py"):
            name = path.relative_to(PACKAGE).with_suffix("").parts
            modules[name[:-1] if name[-1] == "__init__" else name] = path
        graph = {name: set(self.imports(path, path.parent.relative_to(PACKAGE).parts)) & set(modules) for name, path in modules.items()}
        self.assertIn(("portacl", "fallback"), graph["portacl", "pytorch"])    # imports within functions count
        self.assertEqual(len(list(graphlib.TopologicalSorter(graph).static_order())), len(modules))
        graph["portacl", "kernels"].add(("portacl", "pytorch"))
        self.assertRaises(graphlib.CycleError, graphlib.TopologicalSorter(graph).prepare)

    def imports(self, path, folder):
        """What the relative imports of a file name: modules, and members of modules."""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = folder[:len(folder) + 1 - node.level]
                if node.module:
                    base += tuple(node.module.split("."))
                    yield base
                yield from ((*base, name.name) for name in node.names)


if __name__ == "__main__":
    unittest.main()
