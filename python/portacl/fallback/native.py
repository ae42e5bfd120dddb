# SPDX-License-Identifier: Apache-2.0
"""The plug-in's own kernels are tried first; the CPU computes a call only if such a kernel does not find the `aclnn` operator that it needs.

Which `aclnn` operators a kernel needs depends on its arguments, and only the kernel knows. It looks up a name before it uses it, and
its error tells which name is missing. That answer is cached for each kind of call. Any other error goes to the caller.

A kernel may have written before it misses a name. New results are then dropped. The caller's tensors are saved until the operator has
run natively once; from then on, the numbers of the thread's tasks show that nothing was written.
"""

import ctypes
import os
import threading

import torch

from . import devices, memory, refusals

_Tensor = torch.Tensor

# The copies on which everything else depends, including this package.
COPIES = frozenset("_copy_from _copy_from_and_resize clone copy_".split())

# Operators that the plug-in always executes; except for the copies they only need the runtime: allocation, views and the plug-in's data about a
# storage.
ALWAYS = COPIES | frozenset("""
    empty.memory_format empty_strided set_ set_.source_Storage set_.source_Storage_storage_offset
    set_.source_Tensor set_.source_Tensor_storage_offset resize_ resize_as_ record_stream is_pinned _pin_memory is_set_to
    _local_scalar_dense as_strided as_strided_ view _reshape_alias unfold squeeze squeeze.dim unsqueeze view_as_real
    view_as_complex _lazy_clone _has_compatible_shallow_copy_type
""".split())

# Arguments that an operator changes without declaring so.
_UNDECLARED = ("running_mean", "running_var")

# Gradients whose `aclnn` operators do not conjugate the derivative of a complex number, as PyTorch does.
NOT_CONJUGATED = frozenset("sigmoid_backward sigmoid_backward.grad_input".split())

ran = set()   # operators that have run natively
missing = {}  # {operator: the names that its kernel did not find, each once and in order}
compiled = None  # the functions of boxed.cpp, if these are used


def outcomes():
    """`ran` and `missing`, including the data of kernels in C++."""
    if compiled:
        ran.update(compiled.natively_run())
        for line in compiled.not_found():
            name, _, what = line.partition("\t")
            missing.setdefault(name, {})[what] = None
    return ran, missing


def forget():
    """For tests: empties both."""
    if compiled:
        compiled.forget()
    ran.clear(), missing.clear()


def stays_on_cpu(operator):
    """True for operators of random numbers, which the CPU computes, of sparse and quantised tensors, which the fallback refuses, for those
    that the plug-in composes of a dozen others, and for one whose second result is PyTorch's copy of an argument, not the triangle of it
    that a card returns."""
    return (operator._schema.name in ("aten::scatter_reduce", "aten::triangular_solve") or torch.Tag.nondeterministic_seeded in operator.tags
            or any("Generator" in str(argument.type) for argument in operator._schema.arguments)
            or any(word in operator._schema.name for word in ("sparse", "quantize")))


class _Pending(threading.local):
    call = None


_pending = _Pending()


def _run_pending():
    function, args, kwargs = _pending.call
    _pending.call = function(*args, **kwargs)


# The dispatcher passes numbers that were wrapped in tensors as numbers. It wraps them again, so that promotion treats them as numbers, only below an
# operator that may take numbers. All operators of this namespace may.
_library = torch.library.Library("prims", "FRAGMENT")
_library.define("portacl_with_numbers() -> ()")
_library.impl("portacl_with_numbers", _run_pending, "CompositeExplicitAutograd")
_with_numbers = torch.ops.prims.portacl_with_numbers.default


def _taking_numbers(operator, plugin):
    """Wraps `plugin`, which may get numbers where `operator` has tensors."""
    positions = tuple(index for index, argument in enumerate(operator._schema.arguments)
                      if str(argument.type) == "Tensor" and not argument.kwarg_only)

    def kernel(keyset, *args, **kwargs):
        if all(isinstance(args[index], _Tensor) for index in positions):
            return plugin(keyset, *args, **kwargs)
        _pending.call = plugin, (keyset, *args), kwargs
        _with_numbers()
        result, _pending.call = _pending.call, None
        return result

    return kernel


def _kind_of(value):
    if isinstance(value, _Tensor):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return tuple(map(_kind_of, value))
    return type(value)


def _kind(args, kwargs):
    """The properties that define a kind of call: which arguments are given, their types, and the dtypes of tensors."""
    return (*map(_kind_of, args), *((name, _kind_of(kwargs[name])) for name in sorted(kwargs)))


def _npu_tensors(values):
    return (value for value in devices.tensors_of(values) if not value.is_cpu)


def _copies(tensors):
    """[(tensor, copy of its values)]."""
    kept = []
    for tensor in tensors:
        memory.wait(tensor.device.index)
        kept.append((tensor, memory.on_cpu(tensor).clone()))
    return kept


def _restore(kept):
    for tensor, values in kept:
        memory.wait(tensor.device.index)
        if tensor.shape == values.shape:  # otherwise an `out=` that was resized, whose old values do not matter
            memory.on_cpu(tensor).copy_(values)


_last_task = ctypes.CDLL("libascendcl.so").aclrtGetThreadLastTaskId
# With the plug-in's queue enabled, another thread starts the tasks.
_tasks_tell = os.environ.get("TASK_QUEUE_ENABLE") == "0"


def _started():
    """A value that changes whenever the thread starts a task on a stream, or waits for one to compute on the CPU."""
    task = ctypes.c_uint32()
    _last_task(ctypes.byref(task))
    return task.value, memory.waits()


def make_kernel(name, operator, plugin, on_cpu, not_found=refusals.not_found):
    """The kernel for `operator`: `plugin`, which takes a dispatch key set first, else `on_cpu`.

    not_found: tells from an error of `plugin` whether the CPU should compute the call.
    """
    written = frozenset(argument.name for argument in operator._schema.arguments
                        if argument.alias_info and argument.alias_info.is_write or argument.name in _UNDECLARED)
    outs = tuple(argument.name for argument in operator._schema.arguments if argument.is_out)
    positions = tuple(index for index, argument in enumerate(operator._schema.arguments) if argument.name in written)
    if torch._C._should_allow_numbers_as_tensors(operator._schema.name.partition("::")[2]):
        plugin = _taking_numbers(operator, plugin)
    refused = set()  # kinds of calls for which names are missing

    def refuse(error, args, kwargs):
        what = not_found(error)
        if what is not None:
            refused.add(_kind(args, kwargs))
            missing.setdefault(name, {})[what] = None
        return what

    def kernel(keyset, *args, **kwargs):
        if refused and _kind(args, kwargs) in refused:
            return on_cpu(*args, **kwargs)
        refusals.take()    # clears refusals that another client got
        try:
            result = plugin(keyset, *args, **kwargs)
        except RuntimeError as error:
            if refuse(error, args, kwargs) is None:
                raise
        else:
            ran.add(name)
            return result
        return on_cpu(*args, **kwargs)

    def writing_kernel(keyset, *args, **kwargs):
        # Not every kernel resizes an `out=` tensor.
        if outs and any(isinstance(kwargs.get(out), _Tensor) and kwargs[out].numel() == 0 for out in outs):
            return on_cpu(*args, **kwargs)
        if refused and _kind(args, kwargs) in refused:
            return on_cpu(*args, **kwargs)
        kept = before = None
        if _tasks_tell and name in ran:
            before = _started()
        else:
            kept = _copies(_npu_tensors([args[index] for index in positions if index < len(args)]
                                        + [kwargs[key] for key in kwargs.keys() & written]))
        refusals.take()
        try:
            result = plugin(keyset, *args, **kwargs)
        except RuntimeError as error:
            what = refuse(error, args, kwargs)
            if what is None:
                raise
            if kept is None and _started() != before:
                raise RuntimeError(f"{operator.name()} had written to its operands before torch_npu found that the toolkit lacks "
                                   f"{what}; from now on such calls run on the CPU") from error
        else:
            ran.add(name)
            return result
        if kept:
            _restore(kept)
        return on_cpu(*args, **kwargs)

    return writing_kernel if written else kernel
