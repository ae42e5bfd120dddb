# SPDX-License-Identifier: Apache-2.0
"""portacl doctor, on packages and folders that stand for those of a user. Needs neither PyTorch nor its plug-in."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from stand_in_case import PACKAGE, ROOT, StandInCase


class Doctor(StandInCase):
    def diagnose(self, **variables):
        """{label: lines} of the report, and the exit code."""
        run = self.run_python("-m", "portacl", "doctor", **variables)
        self.assertEqual(run.stderr, "")
        report, label = {}, None
        for line in run.stdout.splitlines()[:-1]:
            label = line[:10].strip() or label
            report[label] = report.get(label, "") + line[10:]
        count = run.stdout.count("\n" + " " * 11 + "-> ")
        self.assertEqual((run.stdout.splitlines()[-1], run.returncode), (f"{count} to mend", 1) if count else ("nothing to mend", 0))
        return report

    def assert_report(self, report, label, text, remedy=None):
        found, _, mended_by = report[label].partition(" -> ")
        self.assertIn(text, found)
        self.assertEqual(bool(mended_by), remedy is not None, report[label])
        self.assertIn(remedy or "", mended_by)

    def test_without_pytorch_nothing_is_wrong(self):
        report = self.diagnose()
        self.assertEqual([label for label in report if " -> " in report[label]], [], report)
        self.assert_report(report, "toolkit", os.path.realpath(ROOT))
        self.assert_report(report, "torch", "not installed")
        self.assertNotIn("compiler", report)

    def test_the_toolkits_program_prints_the_same(self):
        program, environment = pathlib.Path(ROOT, "bin", "portacl"), {**os.environ, "PYTHONPATH": str(PACKAGE)}
        for options in ([], ["--json"]):
            runs = [subprocess.run([*command, "doctor", *options], env=environment, capture_output=True, text=True, check=False, timeout=300)
                    for command in ((program,), ("python3", "-m", "portacl"))]
            self.assertEqual(*((run.stdout, run.stderr, run.returncode) for run in runs))
        self.assertIn(["toolkit", os.path.realpath(ROOT), None], [list(finding.values()) for finding in json.loads(runs[0].stdout)])

    def test_an_unknown_pair(self):
        self.install("torch", "2.4.0", "torch")
        self.install("torch-npu", "2.4.0", "torch_npu")
        self.assert_report(self.diagnose(), "pair", "torch 2.4.0 with torch-npu 2.4.0", "pip install torch")

    def test_a_build_for_cuda(self):
        self.install("torch", "2.13.0", "torch")
        self.install("torch-npu", "2.13.0", "torch_npu")
        (self.folder / "torch" / "lib").mkdir()
        (self.folder / "torch" / "lib" / "libc10_cuda.so").touch()
        self.assert_report(self.diagnose(), "pair", "is a build for CUDA", "pip install torch==2.13.0 --index-url")

    def test_a_plug_in_without_pytorch(self):
        self.install("torch-npu", "2.13.0", "torch_npu")
        self.assert_report(self.diagnose(), "pair", "the package torch is not installed", "pip install")

    def test_an_import_that_ends_the_process(self):
        self.install("torch", "2.13.0", "torch", "import os\nos.abort()\n")
        self.install("torch-npu", "2.13.0", "torch_npu")
        self.assert_report(self.diagnose(), "torch", "`import torch` fails: signal 6", "--check")

    def test_a_pair_that_works(self):
        self.install("torch", "2.13.0", "torch", "class version:\n    cuda = None\nclass npu:\n    device_count = staticmethod(lambda: 1)\n")
        self.install("torch-npu", "2.13.0", "torch_npu")
        report = self.diagnose()
        self.assert_report(report, "torch", "2.13.0, built for the CPU")
        self.assert_report(report, "pair", "1 device(s)")

    def test_operators_that_come_compiled(self):
        self.install("torch", "2.13.0", "torch", "class version:\n    cuda = None\n")
        self.install("torch-npu", "2.13.0", "torch_npu")
        for library in ("libascendcl.so", "portacl/fallback/torch-2.13.0-0.so"):
            path = self.folder / "lib64" / library
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(pathlib.Path(ROOT, "lib64", "libascendcl.so"))
        report = self.diagnose(PATH=str(self.folder), PORTACL_TOOLKIT=str(self.folder))
        self.assert_report(report, "operators", "compiled for torch 2.13.0")
        self.assertNotIn("compiler", report)

    def test_a_cache_that_cannot_be_written(self):
        self.install("torch-npu", "2.13.0", "torch_npu")
        (self.folder / "file").touch()
        self.assert_report(self.diagnose(XDG_CACHE_HOME=str(self.folder / "file")), "cache", "file/portacl: Not a directory", "XDG_CACHE_HOME")

    def test_a_machine_without_compiler(self):
        self.install("torch-npu", "2.13.0", "torch_npu")
        self.assert_report(self.diagnose(PATH=str(self.folder)), "compiler", "there is no C++ compiler", "apt install g++")

    def test_another_cann(self):
        library = self.folder / "cann" / "lib64" / "libascendcl.so"
        library.parent.mkdir(parents=True)
        library.touch()
        self.assert_report(self.diagnose(ASCEND_HOME_PATH=str(self.folder / "cann")), "CANN", str(library.parent), "unset ASCEND_HOME_PATH")

    def test_a_second_installation(self):
        self.install("portacl", "0.0.1", "portacl")
        self.assert_report(self.diagnose(), "portacl", f"it hides 0.0.1 in {os.path.realpath(self.folder)}/portacl", "PYTHONPATH")

    def test_two_installations_in_one_folder(self):
        shutil.copytree(PACKAGE / "portacl", self.folder / "portacl", ignore=shutil.ignore_patterns("toolkit", "__pycache__"))
        for version in ("0.1.0", "0.2.0"):
            self.install("portacl", version)
        self.assert_report(self.diagnose(PYTHONPATH=str(self.folder)), "portacl", "0.1.0 and 0.2.0 in ", "pip uninstall portacl")

    def test_a_hook_that_is_disabled(self):
        self.assert_report(self.diagnose(PORTACL_DISABLE="1"), "hook", "disabled", "unset PORTACL_DISABLE")

    def test_a_toolkit_that_cannot_be_loaded(self):
        library = self.folder / "lib64" / "libascendcl.so"
        library.parent.mkdir()
        library.write_text("not a library", encoding="ascii")
        self.assert_report(self.diagnose(PORTACL_TOOLKIT=str(self.folder)), "toolkit", "cannot be loaded: ", "install the wheel")


if __name__ == "__main__":
    unittest.main()
