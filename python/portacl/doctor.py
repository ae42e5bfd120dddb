# SPDX-License-Identifier: Apache-2.0
"""portacl doctor (python -m portacl doctor): what this machine has for Portacl and for PyTorch on it, what is wrong, and the command that mends it.

Nothing is imported into this process that could end it: torch and the libraries are loaded by others.
"""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
from typing import NamedTuple, Optional

from . import errors, kernels, pytorch, toolkit

_PACKAGE = pathlib.Path(__file__).resolve().parent
_SECONDS = 120    # for a process that imports torch; a cold disk takes long
_LOAD_LIBRARIES = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).aclrtGetDeviceCount"
_IMPORT_TORCH = "import portacl, torch; from portacl import doctor; print(doctor._describe_torch())"


class Finding(NamedTuple):
    """One line of the report."""
    label: str
    text: str
    remedy: Optional[str] = None    # a sentence or a command; None: nothing is wrong


def _run(*arguments):
    """Runs Python with this package. Returns its exit code, its output and the last line of its error stream."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_PACKAGE.parent), os.environ.get("PYTHONPATH"))))}
    try:
        run = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return 1, "", f"it did not end within {_SECONDS} s"
    last = (run.stderr.strip().splitlines() or [f"signal {-run.returncode}" if run.returncode < 0 else f"exit code {run.returncode}"])[-1]
    return run.returncode, run.stdout, last


def _describe_torch():
    import torch

    npu = getattr(torch, "npu", None)
    return json.dumps({"cuda": torch.version.cuda, "devices": npu.device_count() if npu else 0})


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def python():
    yield Finding("Python", f"{platform.python_version()} for {platform.machine()}, {sys.executable}",
                  None if sys.version_info >= (3, 9) else "install Python 3.9 or newer")


def package():
    """The installed package, unless a source tree or a second installation hides it."""
    found = {_PACKAGE: set()}
    for distribution in importlib.metadata.distributions(name="portacl"):
        found.setdefault(pathlib.Path(distribution.locate_file("portacl")).resolve(), set()).add(distribution.version)
    here, *hidden = (f"{' and '.join(sorted(versions)) or 'source tree'} in {folder}" for folder, versions in found.items())
    text = f"{here}; it hides {', '.join(hidden)}" if hidden else here
    if not found[_PACKAGE]:
        yield Finding("portacl", text, "unset PYTHONPATH" if hidden else None)
    else:
        several = hidden or len(found[_PACKAGE]) > 1
        yield Finding("portacl", text, "pip uninstall portacl, until none is left, and install one again" if several else None)


def libraries():
    try:
        root = toolkit.find()
    except FileNotFoundError as error:
        yield Finding("toolkit", str(error), "install the wheel, or run ./test in the source tree")
        return
    code, _, last = _run("-c", _LOAD_LIBRARIES, str(root / "lib64" / "libascendcl.so"))
    yield Finding("toolkit", str(root) if code == 0 else f"{root} cannot be loaded: {last}",
                  None if code == 0 else "install the wheel for this machine, or run ./test in the source tree")


def cann():
    """Another CANN, which the hook and pyACL leave alone."""
    try:
        import _portacl_hook
    except ImportError:    # a copy of the package without its hook
        return
    folders = _portacl_hook.cann_folders()
    if folders:
        yield Finding("CANN", f"{folders[0]}, which programs use instead of Portacl", "unset ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME LD_LIBRARY_PATH")
    else:
        yield Finding("CANN", "none but Portacl")


def hook():
    if os.environ.get("PORTACL_DISABLE", "0") != "0":
        yield Finding("hook", "disabled by PORTACL_DISABLE", "unset PORTACL_DISABLE")
    elif (_PACKAGE.parent / "portacl-hook.pth").is_file() and importlib.util.find_spec("_portacl_hook"):
        is_site = any(os.path.realpath(folder) == str(_PACKAGE.parent) for folder in _site_folders())
        yield Finding("hook", "installed: plain `python train.py` works" if is_site
                      else "none, as in every source tree: start programs with `python -m portacl train.py`")
    else:
        yield Finding("hook", f"no portacl-hook.pth in {_PACKAGE.parent}", "install the wheel again, or use `python -m portacl train.py`")


def _site_folders():
    import site

    return [*site.getsitepackages(), site.getusersitepackages()]


def plugin():
    """PyTorch and torch_npu; neither is needed by the toolkit itself."""
    torch, torch_npu = _version("torch"), _version("torch-npu")
    if torch is None and torch_npu is None:
        yield Finding("torch", "not installed; only programs of PyTorch need it")
        return
    try:
        pytorch.check()
    except errors.SetupError as error:
        sentence, _, remedy = str(error).partition("; ")
        yield Finding("torch", f"{torch}, torch-npu {torch_npu}")
        yield Finding("pair", sentence, remedy or sentence)
        return
    code, output, last = (0, _describe_torch(), "") if "torch" in sys.modules else _run("-c", _IMPORT_TORCH)
    if code != 0:
        yield Finding("torch", f"{torch}, torch-npu {torch_npu}: `import torch` fails: {last}", "python -m portacl --check prints more")
        return
    told = json.loads(output.splitlines()[-1])
    yield Finding("torch", f"{torch}, built for {'CUDA ' + told['cuda'] if told['cuda'] else 'the CPU'}, {pytorch._folder_of_torch()}")
    yield Finding("pair", f"torch {torch} and torch-npu {torch_npu}: one of those that are tested, {told['devices']} device(s)",
                  None if told["devices"] else "python -m portacl --check prints more")


def compiler():
    """Where PyTorch's operators that the toolkit lacks come from: compiled with the wheel, or by a compiler into the cache."""
    if not pytorch.installed():
        return
    torch = (_version("torch") or "").partition("+")[0]
    try:
        if kernels.is_shipped(torch):
            yield Finding("operators", f"compiled for torch {torch}, in {kernels.shipped()}")
            return
    except FileNotFoundError:    # no toolkit, which is a finding of its own
        return
    for label, find in (("compiler", lambda: shutil.which(kernels.compiler())), ("cache", kernels.writable_cache)):
        try:
            yield Finding(label, str(find()))
        except errors.SetupError as error:
            sentence, _, remedy = str(error).partition("; ")
            yield Finding(label, sentence, remedy.removeprefix("install one: "))


def findings():
    """All findings, in the order of the report."""
    for check in (python, package, libraries, cann, hook, plugin, compiler):
        yield from check()


def main(arguments):
    """Prints the report as it is found, or with --json at once. 0 if nothing is wrong, 1 if something is, 2 for other arguments."""
    if arguments not in ([], ["--json"]):
        print(f"portacl: doctor takes --json or nothing, got {' '.join(arguments)}", file=sys.stderr)
        return 2
    if arguments:
        found = list(findings())
        print(json.dumps([finding._asdict() for finding in found], indent=2))
        return int(any(finding.remedy for finding in found))
    wrong = report()
    print(f"{wrong} to mend" if wrong else "nothing to mend")
    return 1 if wrong else 0


def report():
    """Prints the findings; returns how many need a remedy."""
    wrong = 0
    for finding in findings():
        print(f"{finding.label:<10} {finding.text}", flush=True)
        if finding.remedy:
            wrong += 1
            print(f"{'':<10} -> {finding.remedy}", flush=True)
    return wrong
