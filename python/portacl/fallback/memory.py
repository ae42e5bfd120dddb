# SPDX-License-Identifier: Apache-2.0
"""One memory, two devices: "npu" memory of PyTorch is host memory here, so that a CPU tensor may use it, too.

A view passes from one device to the other as a DLPack capsule whose device field is changed on the way; the capsule keeps the
storage alive. That takes a microsecond and copies no data.
"""

import ctypes
import threading

import torch
import torch_npu

_DEVICE_TYPE = 8  # bytes before the int32 device_type in DLManagedTensor: one pointer to the data
_CPU = 1          # kDLCPU

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_int32_at = ctypes.c_int32.from_address
_to_dlpack = torch._C._to_dlpack
_from_dlpack = torch._C._from_dlpack
_empty_strided = torch.empty_strided

_runtime = ctypes.CDLL("libascendcl.so")
_synchronize_stream = _runtime.aclrtSynchronizeStream
_synchronize_stream.argtypes = [ctypes.c_void_p]
_synchronize_stream.restype = ctypes.c_int32
_raw_stream = torch_npu._C._npu_getCurrentRawStream


def on_cpu(tensor):
    """A CPU tensor over the memory of an npu tensor, with its shape, strides, conjugation and sign bit."""
    if tensor.is_conj() or tensor.is_neg():
        return _lazy_on_cpu(tensor)
    capsule = _to_dlpack(tensor)
    _int32_at(_capsule_pointer(capsule, b"dltensor") + _DEVICE_TYPE).value = _CPU
    return _from_dlpack(capsule)


def _lazy_on_cpu(tensor):
    # DLPack has no bit for either: a conjugate or negative view is exported as a plain tensor, and the bit is set again.
    if tensor.is_neg():
        return torch._neg_view(on_cpu(torch._neg_view(tensor)))
    return torch._conj(on_cpu(torch._conj(tensor)))


def on_npu(result, device):
    """An npu tensor with the values, shape and strides of a CPU tensor. Raises NotImplementedError unless its elements are stored individually."""
    if result.layout is not torch.strided or result.is_quantized or result.is_nested:
        raise NotImplementedError(f"Portacl has no sparse, nested and quantised tensors on npu ({result.layout}, {result.dtype}); "
                                  "those of the CPU work")
    if result.is_conj() or result.is_neg():
        result = result.resolve_conj().resolve_neg()
    if torch._debug_has_internal_overlap(result) != 0:
        result = result.contiguous()
    tensor = _empty_strided(result.size(), result.stride(), dtype=result.dtype, device=device)
    if result.numel():
        on_cpu(tensor).copy_(result)
    return tensor


class _Thread(threading.local):
    number = 0

    def waits(self):
        return self.number

    def count(self):
        self.number += 1


_thread = _Thread()
_waits, _count = _thread.waits, _thread.count


def count_waits(waits, count):
    """Sets the functions that count the calling thread's waits: kernels in C++ wait, too."""
    global _waits, _count
    _waits, _count = waits, count


def wait(index):
    """Waits until the current stream of device `index` (None: the current device) has no work left."""
    _count()
    _synchronize_stream(_raw_stream(torch.npu.current_device() if index is None else index))


def waits():
    """How often the calling thread has waited."""
    return _waits()
