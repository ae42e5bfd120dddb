# SPDX-License-Identifier: Apache-2.0
"""Makes, for any operator, a kernel that computes on the CPU over the memory of npu tensors.

Inputs, in-place operands, `out=` tensors and arguments that an operator changes without declaring so (running statistics) are
accessed in the caller's memory. Only results that the CPU allocated are copied, into storages of the npu allocator: these are
freed in stream order, so that queued native operators may still read them.
"""

import contextlib
import re

import torch

from . import devices, generators
from .memory import on_cpu, on_npu, wait

_CPU, _NPU = torch.device("cpu"), torch.device("npu")
_NOTHING = contextlib.nullcontext()
_Tensor = torch.Tensor
_Generator = torch.Generator
_TOO_SMALL = "not resizable"  # PyTorch's error when it would have to enlarge memory that it does not own
_NOT_IMPLEMENTED = re.compile(r"not implemented for '(\w+)'")
_DTYPES = {"Half": torch.float16, "BFloat16": torch.bfloat16, "Bool": torch.bool, "Byte": torch.uint8, "Char": torch.int8, "Short": torch.int16,
           "Int": torch.int32, "Long": torch.int64, "UInt16": torch.uint16, "UInt32": torch.uint32, "UInt64": torch.uint64}
_TENSOR_TYPES = ("Tensor", "Optional[Tensor]")
_LIST_TYPES = ("List[Tensor]", "Optional[List[Tensor]]", "List[Optional[Tensor]]", "Optional[List[Optional[Tensor]]]")


def _list_on_cpu(values, device):
    """The tensors of a list on the CPU, and the device of the first npu tensor unless `device` is already known."""
    converted = []
    for value in values:
        if isinstance(value, _Tensor) and not value.is_cpu:
            if device is None:
                device = value.device
                wait(device.index)
            value = on_cpu(value)
        converted.append(value)
    return converted, device


def _adopt(result, device):
    if isinstance(result, _Tensor):
        return on_npu(result, device)
    if isinstance(result, (list, tuple)):
        return [_adopt(item, device) for item in result]
    return result


def _is_generator(value):
    return isinstance(value, _Generator)


def _returned_arguments(schema):
    """For each result the name of the argument that it aliases, or None."""
    written = {}
    for argument in schema.arguments:
        if argument.alias_info is not None and argument.alias_info.is_write:
            for name in argument.alias_info.before_set:
                written[name] = argument.name
    names = []
    for result in schema.returns:
        alias = result.alias_info
        names.append(next((written[name] for name in alias.before_set if name in written), None) if alias else None)
    return names


def _as_tensor(value, like):
    """A tensor that replaces a number where an operator needs a tensor; it does not affect promotion within its kind."""
    fits = (like.is_complex() or like.is_floating_point() and not isinstance(value, complex)
            or isinstance(value, bool) or isinstance(value, int) and like.dtype != torch.bool)
    return torch.tensor(value, dtype=like.dtype if fits else None)


def make_kernel(operator, function=None, cpu_results=()):
    """The kernel for `operator`; it calls `function` (default: the operator itself) with CPU tensors.

    cpu_results: indices of the results that stay on the CPU.
    """
    schema = operator._schema
    run = function or operator
    names = [argument.name for argument in schema.arguments]
    types = {argument.name: str(argument.type) for argument in schema.arguments}
    holders = frozenset(name for name, kind in types.items() if kind in _TENSOR_TYPES + _LIST_TYPES or "Generator" in kind)
    positions = tuple(index for index, argument in enumerate(schema.arguments)
                      if argument.name in holders and not argument.kwarg_only)
    # The dispatcher passes numbers that were wrapped in tensors as numbers; not every operator accepts these.
    wants_tensors = (() if torch._C._should_allow_numbers_as_tensors(schema.name.partition("::")[2]) else
                     tuple(index for index in positions if types[names[index]] in _TENSOR_TYPES))
    elsewhere = frozenset(name for name in holders if devices.may_stay_on_cpu(schema.name, name))
    draws = torch.Tag.nondeterministic_seeded in operator.tags
    written = tuple(argument.name for argument in schema.arguments if argument.alias_info and argument.alias_info.is_write)
    has_outs = any(argument.is_out for argument in schema.arguments)
    returned = _returned_arguments(schema)
    single = len(returned) == 1
    first = returned[0] if single else None

    def convert(value, device):
        if isinstance(value, _Tensor):
            if value.is_cpu:
                return value, device
            if device is None:
                device = value.device
                wait(device.index)
            return on_cpu(value), device
        if isinstance(value, (list, tuple)):
            return _list_on_cpu(value, device)
        if isinstance(value, _Generator):
            return generators.on_cpu(value), device
        return value, device

    def kernel(*args, **kwargs):
        device = None
        count = len(args)
        devices.check(devices.tensors_of([args[index] for index in positions if index < count and names[index] not in elsewhere]
                                         + [kwargs[name] for name in kwargs.keys() & holders - elsewhere]))
        cpu_args = list(args)
        for index in positions:
            if index >= count:
                break
            cpu_args[index], device = convert(args[index], device)
        for index in wants_tensors:
            if index < count and isinstance(args[index], (int, float, complex)):
                like = next(value for value in cpu_args if isinstance(value, _Tensor))
                cpu_args[index] = _as_tensor(args[index], like)
        cpu_kwargs = kwargs
        if kwargs:
            cpu_kwargs = dict(kwargs)
            for name in kwargs.keys() & holders:
                cpu_kwargs[name], device = convert(kwargs[name], device)
            if kwargs.get("device") is not None:
                device = torch.device(kwargs["device"])
                wait(device.index)    # freed memory may be in use until then
                cpu_kwargs["device"] = _CPU
            cpu_kwargs.pop("pin_memory", None)
        drawn = draws and not any(map(_is_generator, (*args, *kwargs.values()))) and generators.draws(operator, args, kwargs)
        with generators.default_of(device or _NPU) if drawn else _NOTHING:
            result = compute(args, kwargs, cpu_args, cpu_kwargs)
        if single:
            if first is not None:
                position = names.index(first)
                return args[position] if position < count else kwargs[first]
            return _adopt(result, device)
        if not returned:
            return None
        arguments = dict(zip(names, args), **kwargs)
        return tuple(arguments[name] if name is not None else item if index in cpu_results else _adopt(item, device)
                     for index, (name, item) in enumerate(zip(returned, result)))

    def compute(args, kwargs, cpu_args, cpu_kwargs):
        if has_outs:
            return _run_into(run, names, args, kwargs, cpu_args, cpu_kwargs, written, empty_too=True)
        try:
            return run(*cpu_args, **cpu_kwargs)
        except NotImplementedError as error:
            dtype = None if written else _narrow_in(str(error), cpu_args)
            if dtype is None:
                raise
            return _run_widened(run, dtype, cpu_args, cpu_kwargs)
        except RuntimeError as error:
            if not written or _TOO_SMALL not in str(error):
                raise
            return _run_into(run, names, args, kwargs, cpu_args, cpu_kwargs, written)

    return kernel


def _narrow_in(error, arguments):
    """The dtype of an argument that PyTorch's CPU kernel lacks; a card may have it."""
    found = _NOT_IMPLEMENTED.search(error)
    dtype = _DTYPES.get(found[1]) if found else None
    return dtype if any(isinstance(value, _Tensor) and value.dtype == dtype for value in arguments) else None


def _run_widened(run, dtype, cpu_args, cpu_kwargs):
    """Runs with arguments of `dtype` converted to a wider one, and converts results back to `dtype`."""
    wide = torch.float32 if dtype.is_floating_point else torch.float64

    def converted(values, source, to):
        return [value.to(to) if isinstance(value, _Tensor) and value.dtype == source else value for value in values]

    result = run(*converted(cpu_args, dtype, wide), **cpu_kwargs)
    return converted([result], wide, dtype)[0] if isinstance(result, _Tensor) else converted(result, wide, dtype)


def _run_into(run, names, args, kwargs, cpu_args, cpu_kwargs, written, empty_too=False):
    """Runs an operator that may resize its outputs.

    A CPU tensor over npu memory cannot grow, so an ordinary CPU tensor replaces it, and the npu tensor gets its shape and
    values afterwards. With empty_too, `out=` tensors without elements are replaced immediately; others only if the operator
    needs more elements than they have.
    """
    npu, cpu = dict(zip(names, args), **kwargs), dict(zip(names, cpu_args), **cpu_kwargs)

    def stand_in(value, wanted):
        if isinstance(value, list):
            return [stand_in(item, wanted) for item in value]
        return value.clone() if isinstance(value, _Tensor) and wanted(value) else value

    def call(wanted):
        cpu.update((name, stand_in(cpu[name], wanted)) for name in written if name in cpu)
        return run(*(cpu[name] for name in names[:len(args)]), **{name: cpu[name] for name in cpu_kwargs})

    try:
        result = call((lambda tensor: tensor.numel() == 0) if empty_too else (lambda tensor: True))
    except RuntimeError as error:
        if not empty_too or _TOO_SMALL not in str(error):
            raise
        result = call(lambda tensor: True)
    for name in written:
        if name in cpu:
            _give_back(cpu[name], npu[name])
    return result


def _give_back(source, target):
    """Gives npu tensor (or list) `target` the shape and values of its replacement; does nothing if memory and shape are the same."""
    if isinstance(source, list):
        for pair in zip(source, target):
            _give_back(*pair)
        return
    if not isinstance(source, _Tensor) or target.is_cpu:
        return
    if source.shape != target.shape:
        target.resize_(source.shape)
    elif source.data_ptr() == target.data_ptr():
        return
    memory = on_cpu(target)
    if memory.data_ptr() != source.data_ptr() and source.numel():
        memory.copy_(source)
