# SPDX-License-Identifier: Apache-2.0
"""Which of PyTorch's operators the plug-in's own kernels may serve: those whose `aclnn` operators the toolkit exports."""

import ctypes

# Operators that need the runtime only: allocation, views and what the plug-in keeps about a storage.
RUNTIME_ONLY = frozenset("""
    empty.memory_format empty_strided set_ set_.source_Storage set_.source_Storage_storage_offset
    set_.source_Tensor set_.source_Tensor_storage_offset resize_ resize_as_ record_stream is_pinned _pin_memory is_set_to
    _local_scalar_dense as_strided as_strided_ view _reshape_alias unfold squeeze squeeze.dim unsqueeze view_as_real
    view_as_complex _lazy_clone _has_compatible_shallow_copy_type
""".split())

# For each of PyTorch's operators the `aclnn` operators that the plug-in's kernel for it calls.
NEEDS = {
    "_copy_from": ("InplaceCopy", "Cast", "Complex"),
    "_copy_from_and_resize": ("InplaceCopy", "Cast", "Complex"),
    "_ctc_loss": ("CtcLoss", "InplaceCopy"),
    "_ctc_loss.Tensor": ("CtcLoss", "InplaceCopy"),
    "_ctc_loss_backward": ("CtcLossBackward", "InplaceCopy"),
    "_ctc_loss_backward.Tensor": ("CtcLossBackward", "InplaceCopy"),
    "clone": ("InplaceCopy", "Complex"),
    "copy_": ("InplaceCopy", "Cast", "Complex"),
    "logit": ("Logit",),
    "logit.out": ("Logit",),
    "logit_": ("Logit",),
    "logit_backward": ("LogitGrad",),
    "logit_backward.grad_input": ("LogitGrad",),
    "smooth_l1_loss": ("SmoothL1Loss",),
    "smooth_l1_loss.out": ("SmoothL1Loss",),
    "smooth_l1_loss_backward": ("SmoothL1LossBackward",),
    "smooth_l1_loss_backward.grad_input": ("SmoothL1LossBackward",),
}


class Exports:
    """Asks the libraries of the toolkit for names; both phases must exist for an operator to count."""

    def __init__(self):
        self._libraries = [ctypes.CDLL(None), ctypes.CDLL("libopapi.so")]

    def __contains__(self, operator):
        return all(any(hasattr(library, name) for library in self._libraries)
                   for name in (f"aclnn{operator}GetWorkspaceSize", f"aclnn{operator}"))


def is_native(name, exports):
    """True when the plug-in's kernel for aten operator `name` (with its overload) finds all that it calls."""
    if name in RUNTIME_ONLY:
        return True
    needs = NEEDS.get(name)
    return needs is not None and all(operator in exports for operator in needs)
