# SPDX-License-Identifier: Apache-2.0
"""pyACL, CANN's Python module for the runtime: acl.init(), acl.rt.malloc(size, policy), acl.util.numpy_to_ptr(array).

The functions are those of the C headers, in snake case. Outputs come first, then the status: `stream, ret = acl.rt.create_stream()`.
docs/pyacl.md has the rules.
"""

import importlib

from . import _place

if not _place.stand_back():
    from . import _modules

    _modules.install(__name__)

    def __getattr__(name):
        if name == "util":  # imports NumPy
            return importlib.import_module(".util", __name__)
        return _modules.find("", name)

    def __dir__():
        return sorted([*globals(), "util", *_modules.names("")])
