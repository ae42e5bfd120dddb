# SPDX-License-Identifier: Apache-2.0
"""Sets up PyTorch's plug-in torch_npu on the toolkit, before torch is imported.

The plug-in is linked to six of the toolkit's libraries and finds others by name. The loader also finds a library by name if
the process has already opened it. Opening all of them by full path therefore makes LD_LIBRARY_PATH unnecessary.
"""

import ctypes
import importlib.metadata
import importlib.util
import os
import pathlib
import sys
import warnings

from . import errors, kernels, toolkit, unsupported, versions

SOC = "Ascend950PR_9599"       # on other SoCs the plug-in uses CANN's compiler instead of `aclnn`
FALLBACK = "PORTACL_FALLBACK"
DRAWS = "PORTACL_DRAWS"

_prepared = False


class WrongBuild(errors.SetupError):
    """The plug-in must not be loaded with this build of torch."""


def installed():
    """True if torch-npu is installed."""
    return _spec_of("torch_npu") is not None


def _spec_of(module):
    try:
        return importlib.util.find_spec(module)    # does not import it
    except ValueError:    # another module without a file stands in for it
        return None


def _version(package, pair=versions.NEWEST):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise errors.SetupError(f"the package {package} is not installed (tested: {pair.install()})") from None


def _folder_of_torch():
    spec = _spec_of("torch")
    return next(iter(spec.submodule_search_locations or ()), "") if spec else ""


def _refuse_cuda(torch, torch_npu):
    folder = _folder_of_torch()
    if versions.aborts_with_cuda(torch_npu) and os.path.exists(os.path.join(folder, "lib", "libc10_cuda.so")):
        raise WrongBuild(f"torch {torch} in {folder} is a build for CUDA, with which torch-npu {torch_npu} would end the process as it is "
                         f"loaded; install PyTorch's build for the CPU: {versions.nearest(torch).install()}")


def _refuse_cann():
    try:
        import _portacl_hook
    except ImportError:    # a copy of the package without its hook
        return
    for folder in _portacl_hook.cann_folders(places=()):
        raise errors.SetupError(f"the environment names another CANN, in {folder}; unset ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME LD_LIBRARY_PATH")


def check():
    """Raises SetupError if the packages, the toolkit or the variables are incompatible."""
    torch = _version("torch")
    nearest = versions.nearest(torch)
    torch_npu = _version("torch-npu", nearest)
    _refuse_cuda(torch, torch_npu)
    if not versions.is_supported(torch, torch_npu):
        raise errors.SetupError(f"torch {torch} with torch-npu {torch_npu} is not a pair that portacl was tested with; "
                                f"the nearest is {nearest.torch} with {nearest.torch_npu}: {nearest.install()}")
    soc = os.environ.get("PORTACL_SOC", SOC)
    if not soc.startswith("Ascend950"):
        raise errors.SetupError(f"PORTACL_SOC is '{soc}', but PyTorch needs Ascend950 or a full name of that family such as {SOC}")
    mode = os.environ.get(FALLBACK, "1")
    if mode not in ("0", "1", "report"):
        raise errors.SetupError(f"{FALLBACK} is '{mode}'; expected 0 (off), 1 (on) or report (on, with a table at exit)")
    draws = os.environ.get(DRAWS, "npu")
    if draws not in ("npu", "cpu"):
        raise errors.SetupError(f"{DRAWS} is '{draws}'; expected npu (random numbers as on a card) or cpu (those of PyTorch's CPU)")
    if "torch_npu._C" in sys.modules and not _prepared:
        raise errors.SetupError("portacl must be imported before torch, which loads the plug-in and with it the libraries")
    _refuse_cann()
    try:
        toolkit.find()
    except FileNotFoundError as error:
        raise errors.SetupError(str(error)) from None
    if mode != "0":
        kernels.check(torch)


def prepare():
    """Sets variables that the user has not set, opens the libraries and installs the import hooks; once. Raises SetupError."""
    global _prepared
    if _prepared:
        return
    check()
    root = toolkit.find()
    for name, folder in (("ASCEND_HOME_PATH", root), ("ASCEND_OPP_PATH", root / "opp")):
        if not os.path.isdir(os.environ.get(name, "")):    # or one that has been removed
            os.environ[name] = str(folder)
    defaults = {
        "PORTACL_SOC": SOC,
        # With its queue enabled, the plug-in skips every operator after a failed one, and each call takes twice as long.
        "TASK_QUEUE_ENABLE": "0",
    }
    # Each of the host's processes uses its own device.
    if os.environ.get("LOCAL_WORLD_SIZE"):
        defaults["PORTACL_DEVICES"] = os.environ["LOCAL_WORLD_SIZE"]
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
    if os.environ["TASK_QUEUE_ENABLE"] not in ("0", "1"):
        # With values above 1 another thread calls phase 1, so that its refusals go unnoticed.
        print(f"portacl: TASK_QUEUE_ENABLE is {os.environ['TASK_QUEUE_ENABLE']}, but 1 is used, as every operator after one that the toolkit "
              "refuses would be skipped without an error", file=sys.stderr)
        os.environ["TASK_QUEUE_ENABLE"] = "1"
    # The plug-in's profiler looks for msprof.
    profiler = str(root / "tools" / "profiler" / "bin")
    if profiler not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join(filter(None, (profiler, os.environ.get("PATH", ""))))
    try:
        for library in sorted((root / "lib64").glob("lib*.so")):
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise errors.SetupError(f"the toolkit in {root} cannot be loaded: {error}; install the wheel for this machine") from None
    sys.meta_path.insert(0, _AfterImport())
    _prepared = True


def prepare_or_warn():
    """The action of `import portacl`: like prepare(), but with a warning instead of an error, and nothing without torch-npu."""
    if not installed() or _is_launcher():
        return
    try:
        prepare()
    except errors.SetupError as error:
        if isinstance(error, WrongBuild) and not any(isinstance(finder, _RefusedPlugin) for finder in sys.meta_path):
            os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"    # torch itself still works
            sys.meta_path.insert(0, _RefusedPlugin(str(error)))
        warnings.warn(f"PyTorch is not set up: {error}", RuntimeWarning, stacklevel=3)


def _is_launcher():
    # `python -m portacl` imports the package before its __main__, which calls prepare() itself.
    line = getattr(sys, "orig_argv", None) or pathlib.Path("/proc/self/cmdline").read_text(errors="replace").split("\0")    # Python 3.9
    return any(pair == ("-m", "portacl") for pair in zip(line, line[1:]))


class _RefusedPlugin:
    """A finder on sys.meta_path that raises an ImportError for torch_npu, which would otherwise end the process."""

    def __init__(self, sentence):
        self._sentence = sentence

    def find_spec(self, fullname, path, target=None):
        if fullname == "torch_npu":
            raise ImportError(self._sentence, name=fullname)
        return None


class _AfterImport:
    """A finder that completes torch_npu as soon as it has been imported, which `import torch` does. The fallback is installed at first use."""

    def find_spec(self, fullname, path, target=None):
        if fullname != "torch_npu":
            return None
        behind = sys.meta_path[sys.meta_path.index(self) + 1:]
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in behind if hasattr(finder, "find_spec"))), None)
        if spec is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_complete(module):
            sys.meta_path.remove(self)
            execute(module)
            unsupported.install()
            if os.environ.get(FALLBACK, "1") != "0":
                module.npu._lazy_call(_install_fallback)
                # torch_npu raises this name for a call that failed, and does not define it.
                module.npu.DeferredNpuCallError = _error_of_first_use

        spec.loader.exec_module = execute_and_complete
        return spec


def _install_fallback():
    from . import fallback    # imports torch

    fallback.install()


def _error_of_first_use(message):
    """The exception for a call that waited for the first use of the device and failed: its own, if that is a sentence for the user."""
    error = sys.exc_info()[1]
    return error if isinstance(error, errors.SetupError) else sys.modules["torch_npu"].npu._DeferredNpuCallError(message)
