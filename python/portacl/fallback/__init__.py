# SPDX-License-Identifier: Apache-2.0
"""Every PyTorch operator on "npu": natively if the toolkit exports what the plug-in needs, otherwise on the CPU, on the same memory."""

import atexit
import gc
import os

import torch

from .. import versions
from . import compiled, fused, native, report

_counts = {}


def install():
    """Replaces the kernels; once, when the device is used for the first time. Raises SetupError without the kernels in C++."""
    if _counts:
        return
    collects = gc.isenabled()
    gc.disable()    # a collection traverses everything that PyTorch has imported, which takes longer than the rest of this function
    try:
        _replace_kernels()
    finally:
        if collects:
            gc.enable()
    # A separate backward thread for the device would take a core from this thread, and the two would wake each other.
    torch.autograd.set_multithreading_enabled(False)


def _out_of(name):
    """The form of an operator with `out=`."""
    packet, _, overload = name.partition(".")
    return f"{packet}.{overload}_out" if overload else f"{packet}.out"


def _replace_kernels():
    kernels = compiled.load()

    def registered(key):
        return set(kernels.registered(key, "aten"))

    plugin, composite = registered("PrivateUse1"), registered("CompositeImplicitAutograd")
    replaced = set(kernels.install_replacements()) | native.ALWAYS

    # Window functions: the plug-in's return integers if no dtype is given. PyTorch composes the others of a kernel that the plug-in lacks.
    on_cpu = {name for name in registered("CompositeExplicitAutograd") if name.partition(".")[0].endswith("_window")}
    on_cpu |= {"conj_physical_", "mode.values", "_pack_padded_sequence", *native.ONE_CALL, *versions.composites_of_cpu()}
    replaced |= on_cpu | {"full"}
    # Composites for which the plug-in has its own kernels, and operators whose autograd it replaced: back to PyTorch's.
    composed = (plugin & composite) - replaced
    differentiated = (registered("AutogradPrivateUse1") | versions.composites_for_autograd()) - replaced
    # PyTorch's own kernels, which call the plug-in's kernel for `out=`.
    structured = {name for name in registered("CompositeExplicitAutogradNonFunctional") - plugin - replaced if _out_of(name) in plugin}
    structured -= native.that_stay_on_cpu(structured)
    for names, key, other in ((composed, "PrivateUse1", "CompositeImplicitAutograd"),
                              (differentiated & composite, "AutogradPrivateUse1", "CompositeImplicitAutograd"),
                              (differentiated - composite, "AutogradPrivateUse1", "Autograd"),
                              (structured, "PrivateUse1", "CompositeExplicitAutogradNonFunctional"),
                              # The plug-in's kernel drops the imaginary part of a complex number.
                              ({"full"}, "PrivateUse1", "CompositeExplicitAutograd")):
        kernels.install_through(list(names), key, other)
    replaced |= composed | structured
    own = plugin - replaced
    native_first = own - native.that_stay_on_cpu(own)
    on_cpu |= own - native_first | registered("CPU") - composite - native_first - replaced
    kernels.install_on_cpu(list(on_cpu))
    kernels.install_native_first(list(native_first))
    kernels.install_one_call(native.ONE_CALL)
    fused.install(kernels, replaced)
    if os.environ.get("PORTACL_FALLBACK") == "report":
        atexit.register(report.write)
        kernels.install_counted(list(native.COPIES & plugin - {"copy_"}))
    _counts.update({"tried natively": len(native_first), "always on the CPU": len(on_cpu)})


def counts():
    """The number of PyTorch operators that are tried natively, and of those that always run on the CPU, as {what: number}."""
    return dict(_counts)
