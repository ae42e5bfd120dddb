# SPDX-License-Identifier: Apache-2.0
"""Portacl from Python: the CANN aclnn operator API on any CPU.

    portacl.run("aclnnLogitGrad", x=x, dy=dy, eps=-1.0)    any operator, on NumPy arrays and whatever speaks DLPack
    portacl.aclnnLogitGrad(x, dy, eps=-1.0)                the same as a function of its own, with its documentation

The libraries are opened by the first call. Where torch-npu is installed, importing this package before torch opens them at once,
so that PyTorch runs on "npu" without a card (docs/pytorch.md).
"""

from . import pytorch

_CALLS = ("Error", "operators", "prepare", "run")


def __getattr__(name):
    if name in _CALLS or name.startswith("aclnn"):
        from . import calls

        return getattr(calls, name)
    if name == "__version__":
        from . import toolkit

        return toolkit.version()
    raise AttributeError(f"module 'portacl' has no attribute '{name}'")


def __dir__():
    from . import calls

    return sorted([*globals(), *_CALLS, *calls.operators()])


pytorch.prepare_or_warn()
