# SPDX-License-Identifier: Apache-2.0
"""acl.rt, acl.mdl and the others: modules whose functions are made on their first use. acl.const has the constants of the headers."""

import sys
import types

from . import _calls, _written
from ._table import table

_NAMES = ("rt", "mdl", "op", "prof", "tdt", "media")
_MEDIA = ("dvpp_", "vdec_", "venc_")


class _Module(types.ModuleType):
    def __getattr__(self, name):
        return find(self.__name__.rpartition(".")[2], name)

    def __dir__(self):
        return sorted([*vars(self), *names(self.__name__.rpartition(".")[2])])


def install(package):
    """Creates the modules as members of the package."""
    for name in (*_NAMES, "const"):
        module = _Module(f"{package}.{name}")
        setattr(sys.modules[package], name, module)
        sys.modules[module.__name__] = module
    vars(sys.modules[f"{package}.const"]).update(table["constants"])


def names(module):
    """The functions of a module; "" is the package."""
    prefix = f"{module}." if module else ""
    found = (name[len(prefix):] for name in (*table["functions"], *_written.functions) if name.startswith(prefix))
    return [name for name in found if "." not in name]


def find(module, name):
    """The function of that name, which becomes an attribute of the module."""
    full = f"{module}.{name}" if module else name
    package = __name__.rpartition(".")[0]
    owner = f"{package}.{module}" if module else package
    row = table["functions"].get(full)
    if row is not None:
        function = _calls.make(full, row)
    elif full in _written.functions:
        function = _written.functions[full]
    elif module == "media" and name.startswith(_MEDIA):
        function = _written.media(name)
    else:
        raise AttributeError(f"module '{owner}' has no attribute '{name}'")
    setattr(sys.modules[owner], name, function)
    return function
