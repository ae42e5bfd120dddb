# SPDX-License-Identifier: Apache-2.0
"""Runs at the start of every Python process: waits for `import torch`, and then prepares the toolkit.

portacl-hook.pth, which the wheel installs next to this file, calls install(). A process that does not import torch only pays
for a finder on sys.meta_path; one that imports it, and has no torch-npu or has CANN, also pays for the search.
PORTACL_DISABLE=1 disables all of it.
"""

import os
import sys

_LIBRARY = "libascendcl.so"
_USUAL_PLACES = ("/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/cann", "/usr/local/Ascend/latest")


def install():
    """Installs the finder that waits for torch; once."""
    if os.environ.get("PORTACL_DISABLE", "0") != "0" or "torch" in sys.modules:
        return
    if not any(isinstance(finder, BeforeTorch) for finder in sys.meta_path):
        sys.meta_path.insert(0, BeforeTorch())


class BeforeTorch:
    """A finder on sys.meta_path that prepares PyTorch when the module torch is about to be executed, and not when it is only searched."""

    def find_spec(self, fullname, path, target=None):
        if fullname != "torch":
            return None
        others = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((spec for spec in others if spec is not None), None)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def prepare_and_execute(module):
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                _prepare()
            execute(module)

        spec.loader.exec_module = prepare_and_execute
        return spec


def _prepare():
    import importlib.util  # imported late, as it is not needed at every start of Python
    import warnings

    # Without the plug-in there is nothing to prepare; and a card's own libraries are never replaced.
    if importlib.util.find_spec("torch_npu") is not None and not cann_folders():
        try:
            import portacl  # noqa: F401 (prepares, or warns)
        except Exception as error:    # torch also works without it
            warnings.warn(f"PyTorch is not set up for npu: {error}", RuntimeWarning, stacklevel=2)


def cann_folders():
    """Folders that the variables, the loader's path and the usual places name, with libraries of CANN other than Portacl's."""
    roots = [os.environ.get(name) for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")]
    folders = [os.path.join(root, "lib64") for root in (*roots, *_USUAL_PLACES) if root]
    folders += filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    return [folder for folder in folders if os.path.exists(os.path.join(folder, _LIBRARY)) and not _is_portacl(folder)]


def _is_portacl(folder):
    return os.path.isdir(os.path.join(folder, "cmake", "portacl"))
