# SPDX-License-Identifier: Apache-2.0
"""Runs at the start of every Python process: waits for the import of torch or torch_npu, and then prepares the toolkit.

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
    """A finder on sys.meta_path that prepares PyTorch when torch or torch_npu is about to be executed, and not when it is only searched."""

    def find_spec(self, fullname, path, target=None):
        if fullname not in ("torch", "torch_npu"):
            return None
        spec = self._find(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec

        def prepare_and_execute(module):
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                _prepare()
            self._find(fullname, path, target).loader.exec_module(module)    # by finders that the preparation has added, too

        spec.loader.exec_module = prepare_and_execute
        return spec

    def _find(self, *module):
        """The spec of the finders behind this one; of all, when it has been removed."""
        behind = sys.meta_path[sys.meta_path.index(self) + 1:] if self in sys.meta_path else sys.meta_path
        return next(filter(None, (finder.find_spec(*module) for finder in behind if hasattr(finder, "find_spec"))), None)


def _prepare():
    import importlib.util  # imported late, as it is not needed at every start of Python
    import warnings

    try:
        # Without the plug-in there is nothing to prepare; and a card's own libraries are never replaced.
        if importlib.util.find_spec("torch_npu") is not None and not cann_folders():
            import portacl  # noqa: F401 (prepares, or warns)
    except ValueError:    # a module without a file stands in for the plug-in
        pass
    except Exception as error:    # torch also works without it
        warnings.warn(f"PyTorch is not set up for npu: {error}", RuntimeWarning, stacklevel=2)


def cann_folders(places=_USUAL_PLACES):
    """Folders that the variables, the loader's path and these places name, with libraries of CANN other than Portacl's."""
    roots = [os.environ.get(name) for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")]
    folders = [os.path.join(root, "lib64") for root in (*roots, *places) if root]
    folders += filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    return [folder for folder in folders if os.path.exists(os.path.join(folder, _LIBRARY)) and not _is_portacl(folder)]


def _is_portacl(folder):
    return os.path.isdir(os.path.join(folder, "cmake", "portacl"))
