# SPDX-License-Identifier: Apache-2.0
"""Setups in which PyTorch cannot use the toolkit: one sentence and an exit code, torch itself still works, and PORTACL_DISABLE=1 changes nothing."""

import pathlib
import re
import unittest
from unittest import mock

from stand_in_case import ROOT, StandInCase

from portacl import errors, kernels

# What portacl-hook.pth runs when Python starts.
HOOKED = "import _portacl_hook; _portacl_hook.install()\nimport torch; print(torch.value)"


class BadSetups(StandInCase):
    def install_pair(self, torch="2.13.0", torch_npu="2.13.0"):
        self.install("torch", torch, "torch", "value = 7\n")
        self.install("torch-npu", torch_npu, "torch_npu")

    def assert_refused(self, sentence, **variables):
        """By the launcher and by `import portacl`; the sentence is a regular expression."""
        run = self.run_python("-m", "portacl", __file__, **variables)
        self.assertRegex(run.stderr, f"^portacl: {sentence}\n$")
        self.assertEqual((run.stdout, run.returncode), ("", 2))
        run = self.run_python("-c", "import portacl", **variables)
        self.assertRegex(run.stderr, f"^[^\n]*RuntimeWarning: PyTorch is not set up: {sentence}\n(  import portacl\n)?$")    # since Python 3.13
        self.assertEqual(run.returncode, 0)

    def assert_torch_works(self, sentence, **variables):
        """With the hook, which warns if there is a sentence, and with the hook disabled."""
        run = self.run_python("-c", HOOKED, **variables)
        self.assertEqual((run.stdout, run.returncode), ("7\n", 0), run.stderr)
        self.assertEqual(len(re.findall(sentence or ".", run.stderr)), 1 if sentence else 0, run.stderr)
        run = self.run_python("-c", HOOKED, PORTACL_DISABLE="1", **variables)
        self.assertEqual((run.stdout, run.stderr, run.returncode), ("7\n", "", 0))

    def test_an_unknown_pair(self):
        self.install_pair("2.4.0", "2.4.0")
        sentence = "torch 2.4.0 with torch-npu 2.4.0 is not a pair .* the nearest is 2.7.1 .*"
        self.assert_refused(sentence)
        self.assert_torch_works(sentence)

    def test_a_plug_in_without_pytorch(self):
        self.install("torch-npu", "2.13.0", "torch_npu")
        self.assert_refused("the package torch is not installed .*")
        self.assertIn("No module named 'torch'", self.run_python("-c", HOOKED).stderr)

    def test_a_build_for_cuda(self):
        # Modules that end the process when the plug-in is loaded, as happens with such a build.
        self.install("torch", "2.13.0", "torch",
                     "import os\nif os.environ.get('TORCH_DEVICE_BACKEND_AUTOLOAD') != '0':\n    import torch_npu\nvalue = 7\n")
        self.install("torch-npu", "2.13.0", "torch_npu", "import os\nos.abort()\n")
        (self.folder / "torch" / "lib").mkdir()
        (self.folder / "torch" / "lib" / "libc10_cuda.so").touch()
        sentence = re.escape(f"torch 2.13.0 in {self.folder}/torch is a build for CUDA, with which torch-npu 2.13.0 would end the process as it is "
                             "loaded; install PyTorch's build for the CPU: pip install torch==2.13.0 --index-url "
                             "https://download.pytorch.org/whl/cpu; pip install torch-npu==2.13.0")
        self.assert_refused(sentence)
        for module in ("torch", "torch_npu"):
            try_it = f"try: import {module}\nexcept ImportError as error: print(error)\nimport torch;"
            run = self.run_python("-c", HOOKED.replace("import torch;", try_it))
            self.assertRegex(run.stdout, "^7\n$" if module == "torch" else f"^{sentence}\n7\n$")
            self.assertEqual((run.returncode, len(re.findall(sentence, run.stderr))), (0, 1), run.stderr)

    def test_a_cache_that_cannot_be_written(self):
        self.install_pair()
        (self.folder / "file").touch()
        for variables, why in (({"XDG_CACHE_HOME": str(self.folder / "file")}, f"{self.folder}/file/portacl: Not a directory"),
                               ({"HOME": "/proc"}, "/proc/.cache/portacl: No such file or directory")):    # read-only for root, too
            sentence = f"PyTorch's operators on npu cannot be compiled into {why}; export XDG_CACHE_HOME to a folder that can be written"
            with self.subTest(why):
                self.assert_refused(sentence, **variables)
                self.assert_torch_works(sentence, **variables)

    def test_a_user_without_a_home(self):
        with mock.patch.object(pathlib.Path, "home", side_effect=RuntimeError("Could not determine home directory.")):
            self.assertRaisesRegex(errors.SetupError, "cannot be compiled: Could not determine .*; export XDG_CACHE_HOME", kernels.cache)

    def test_another_cann(self):
        self.install_pair()
        library = self.folder / "cann" / "lib64" / "libascendcl.so"
        library.parent.mkdir(parents=True)
        library.touch()
        for variables in ({"ASCEND_HOME_PATH": str(library.parent.parent)}, {"LD_LIBRARY_PATH": str(library.parent)}):
            self.assert_refused(f"the environment names another CANN, in {library.parent}; unset ASCEND_HOME_PATH .*", **variables)
            self.assert_torch_works(None, **variables)
        run = self.run_python("-c", "from portacl import _library; _library.load()", LD_LIBRARY_PATH=str(library.parent))
        self.assertRegex(run.stderr, f"OSError: {library}: .*; `portacl doctor` says what is wrong\n$")

    def test_a_toolkit_that_cannot_be_loaded(self):
        self.install_pair()
        (self.folder / "lib64").mkdir()
        (self.folder / "lib64" / "libascendcl.so").write_text("not a library", encoding="ascii")
        sentence = f"the toolkit in {self.folder} cannot be loaded: .*/libascendcl.so: .*; install the wheel for this machine"
        self.assert_refused(sentence, PORTACL_TOOLKIT=str(self.folder))
        self.assert_torch_works(sentence, PORTACL_TOOLKIT=str(self.folder))

    def test_a_module_that_stands_in_for_the_plug_in(self):
        self.install_pair()
        stand_in = "import sys, types; sys.modules['torch_npu'] = types.ModuleType('torch_npu')\n"
        for program in (HOOKED, "import portacl, torch; print(torch.value)"):
            run = self.run_python("-c", stand_in + program)
            self.assertEqual((run.stdout, run.stderr, run.returncode), ("7\n", "", 0))

    def test_variables_of_a_cann_that_was_removed(self):
        self.install_pair()
        run = self.run_python("-c", HOOKED + "\nimport os; print(os.environ['ASCEND_HOME_PATH'])", ASCEND_HOME_PATH="/not/here")
        self.assertEqual((run.stdout, run.stderr), (f"7\n{pathlib.Path(ROOT).resolve()}\n", ""))


if __name__ == "__main__":
    unittest.main()
