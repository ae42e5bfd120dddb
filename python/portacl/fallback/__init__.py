# SPDX-License-Identifier: Apache-2.0
"""Every PyTorch operator on "npu": natively if the toolkit exports what the plug-in needs, otherwise on the CPU, on the same memory."""

import gc
import os

import torch
from torch._C import DispatchKey

from . import compiled, convolution, fused, native, one_call, refusals, special
from .kernel import make_kernel
from .report import NATIVE, ON_CPU, Report

_libraries = []
_counts = {NATIVE: 0, ON_CPU: 0}


def _operators(key, namespace="aten"):
    """The operators of a namespace, as {name with overload: operator}, that have a kernel for dispatch key `key`."""
    found = {}
    for full_name in torch._C._dispatch_get_registrations_for_dispatch_key(key):
        space, _, name = full_name.partition("::")
        packet, _, overload = name.partition(".")
        if space != namespace or not torch._C._dispatch_has_kernel(full_name):
            continue
        try:
            found[name] = getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")
        except (AttributeError, RuntimeError):  # a kernel that the plug-in registers for an operator without a schema
            pass
    return found


def _through(operator, key):
    """A kernel for npu tensors that calls PyTorch's own kernel for `key`."""
    def kernel(*args, **kwargs):
        return operator._op_dk(key, *args, **kwargs)
    return kernel


def _composite_or_autograd(name, composite):
    # An operator has one of the two: it is composed of others, or has its own derivative.
    return DispatchKey.CompositeImplicitAutograd if name in composite else DispatchKey.Autograd


def install():
    """Replaces the kernels; once, when the device is used for the first time."""
    if _libraries:
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


def _replace_kernels():
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)
    mode = os.environ.get("PORTACL_FALLBACK", "1")
    report = Report() if mode == "report" else None
    kernels = native.compiled = compiled.load() if mode == "1" else None
    plugin, composite = _operators("PrivateUse1"), _operators("CompositeImplicitAutograd")
    replaced, boxed, native_first, one_calls = set(), [], [], []
    through = {}    # {(key, the key whose kernels replace those of the first): names}

    def counted(name, where, kernel):
        return report.counted("aten::" + name, where, kernel) if report else kernel

    def replace(name, key, kernel, with_keyset=False):
        if (name, key) in replaced:
            return
        replaced.add((name, key))
        library.impl(name, kernel, key, with_keyset=with_keyset, allow_override=True)

    def replace_by(name, key, operator, other):
        if not kernels:
            replace(name, key, _through(operator, other))
        elif (name, key) not in replaced:
            replaced.add((name, key))
            through.setdefault((key, other.name), []).append(name)

    def run_on_cpu(name, operator):
        _counts[ON_CPU] += 1
        if kernels and compiled.takes(operator):
            replaced.add((name, "PrivateUse1"))
            boxed.append(name)
        else:
            replace(name, "PrivateUse1", counted(name, ON_CPU, make_kernel(operator)))

    for name, key, kernel, where in special.kernels():
        if kernels and name in compiled.COPIES:
            replaced.add((name, key))
            continue
        _counts[ON_CPU] += where == ON_CPU and key == "PrivateUse1"
        replace(name, key, counted(name, where, kernel) if where else kernel)
    # Window functions: the plug-in's return integers if no dtype is given. PyTorch's own Kaiser window and conj_physical_ need a kernel that the
    # plug-in lacks.
    for name, operator in _operators("CompositeExplicitAutograd").items():
        if operator._schema.name.endswith("_window") or name == "conj_physical_":
            run_on_cpu(name, operator)
    # Back to PyTorch's own kernel: the plug-in's drops the imaginary part of a complex number.
    replace_by("full", "PrivateUse1", torch.ops.aten.full.default, DispatchKey.CompositeExplicitAutograd)
    for operator in one_call.OPERATORS:
        name = one_call.name_of(operator)
        run_on_cpu(name, operator)
        if kernels:
            replaced.add((name, "AutogradPrivateUse1"))
            one_calls.append(name)
            continue
        replace(name, "AutogradPrivateUse1", one_call.make(operator, lambda kernel: counted(name, ON_CPU, kernel)))
    # Composites for which the plug-in has its own kernels, and operators whose autograd it replaced: back to PyTorch's.
    for name, operator in _operators("AutogradPrivateUse1").items():
        if name not in native.ALWAYS:
            replace_by(name, "AutogradPrivateUse1", operator, _composite_or_autograd(name, composite))
    for name, operator in plugin.items():
        if name in native.ALWAYS or (name, "PrivateUse1") in replaced:
            continue
        if name in composite:
            replace_by(name, "PrivateUse1", operator, DispatchKey.CompositeImplicitAutograd)
            continue
        if native.stays_on_cpu(operator):
            run_on_cpu(name, operator)
            continue
        _counts[NATIVE] += 1
        if kernels and compiled.takes(operator):
            replaced.add((name, "PrivateUse1"))
            native_first.append(name)
            continue
        on_cpu = counted(name, ON_CPU, make_kernel(operator))
        if name == "convolution_backward":
            on_cpu = convolution.gradient_or(on_cpu)
        kernel = torch.library.get_kernel("aten::" + name, "PrivateUse1").call_boxed
        replace(name, "PrivateUse1", native.make_kernel(name, operator, counted(name, NATIVE, kernel), on_cpu), with_keyset=True)
    # PyTorch's own kernels, which call the plug-in's kernel for `out=`.
    for name, operator in _operators("CompositeExplicitAutogradNonFunctional").items():
        packet, _, overload = name.partition(".")
        out = f"{packet}.{overload}_out" if overload else f"{packet}.out"
        if name not in plugin and out in plugin and not native.stays_on_cpu(operator):
            replace_by(name, "PrivateUse1", operator, DispatchKey.CompositeExplicitAutogradNonFunctional)
    for name, operator in _operators("CPU").items():
        if name not in composite and name not in native.ALWAYS and (name, "PrivateUse1") not in replaced:
            run_on_cpu(name, operator)
    if kernels:
        kernels.install_refusals(refusals.OF_PLUGIN)
        kernels.install_on_cpu(boxed)
        kernels.install_native_first(native_first, sorted(native.NOT_CONJUGATED.intersection(native_first)))
        kernels.install_copies()
        kernels.install_one_call(one_calls)
        for (key, other), names in through.items():
            kernels.install_through(names, key, other)
    _install_of_plugin(kernels, report)
    if report:
        for name in native.COPIES & plugin.keys():
            kernel = torch.library.get_kernel("aten::" + name, "PrivateUse1")
            library.impl(name, counted(name, NATIVE, kernel.call_boxed), "PrivateUse1", with_keyset=True)


def _install_of_plugin(kernels, report):
    """The same for the plug-in's own operators."""
    library = torch.library.Library("npu", "IMPL")
    _libraries.append(library)
    fused.install_formats()
    others = []
    for name, operator in _operators("PrivateUse1", "npu").items():
        if direct := fused.direct(name):
            library.impl(name, direct, "PrivateUse1", allow_override=True)
            continue
        composed = fused.composed(name, operator)
        if composed is None and kernels:
            others.append(name)
            continue
        plugin = fused.of_plugin(name)
        if report:
            plugin = report.counted("npu::" + name, NATIVE, plugin)
            composed = composed and report.counted("npu::" + name, ON_CPU, composed)
        kernel = (native.make_kernel("npu::" + name, operator, plugin, composed, fused.not_found) if composed
                  else fused.explained(name, plugin))
        library.impl(name, kernel, "PrivateUse1", with_keyset=True, allow_override=True)
    # It has no tensor argument, so that no device has a kernel for it.
    name = "npu_dropout_gen_mask"
    library.impl(name, fused.explained(name, fused.of_plugin(name)), "CompositeImplicitAutograd", with_keyset=True, allow_override=True)
    if kernels:
        kernels.install_explained(others, [fused.sentence(name) for name in others])


def counts():
    """The number of PyTorch operators that are tried natively, and of those that always run on the CPU, as {what: number}."""
    return {"tried natively": _counts[NATIVE], "always on the CPU": _counts[ON_CPU]} if _libraries else {}
