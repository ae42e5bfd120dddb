# SPDX-License-Identifier: Apache-2.0
"""Where this package is: in a toolkit, beside the package portacl, or on a machine that has CANN, whose own module `acl` then replaces it."""

import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import runpy
import sys

TABLE = pathlib.Path("share", "pyacl", "table.json")
_PACKAGE = pathlib.Path(__file__).resolve().parent


def in_toolkit():
    """Whether the package is in python/site-packages of a toolkit."""
    return (_PACKAGE.parents[2] / TABLE).is_file()


@functools.cache
def toolkit():
    """The toolkit that contains this package, otherwise the one that the package portacl finds."""
    if in_toolkit():
        return _PACKAGE.parents[2]
    # Importing portacl would also prepare PyTorch.
    return runpy.run_path(str(_PACKAGE.parent / "portacl" / "toolkit.py"))["find"]()


def stand_back():
    """Imports CANN's module `acl` in place of this package, and returns True, if CANN is installed; ImportError if it has no such module.

    The package in a toolkit stays: who puts that on PYTHONPATH has chosen it.
    """
    if in_toolkit():
        return False
    import _portacl_hook

    folders = _portacl_hook.cann_folders()
    if not folders:
        return False
    places = [*sys.path, *(os.path.join(folder, "..", "python", "site-packages") for folder in folders)]
    specs = (importlib.machinery.PathFinder.find_spec(__package__, [place]) for place in places)
    spec = next((spec for spec in specs if spec and spec.origin and pathlib.Path(spec.origin).resolve().parent != _PACKAGE), None)
    if spec is None:
        raise ImportError(f"CANN is installed in {folders[0]}, but its module acl is not found; source its set_env.sh")
    # The import statement returns what is here when this package has been executed.
    sys.modules[__package__] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return True
