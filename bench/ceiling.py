# SPDX-License-Identifier: Apache-2.0
"""The ceiling of a row: the kernel of stream_bench.cc that moves the same bytes in the same number of streams, without computing anything."""
import ctypes
import functools
import pathlib

import numpy

LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "build/release/bench/libstream_bench.so"
# Rows that should be limited by memory bandwidth.
OPERATORS = {"aclnn" + name for name in (
    "Add Sub Mul Div Adds Muls Cast Exp Sqrt Sigmoid Silu Gelu GeluV2 Tanh Relu SigmoidBackward SiluBackward GeluBackward GeluBackwardV2 "
    "TanhBackward ThresholdBackward Softmax LogSoftmax LayerNorm RmsNorm ReduceSum Mean Cat Permute GatherV2 IndexSelect Repeat Tril Triu "
    "Logit LogitGrad SwiGlu SwiGluGrad SmoothL1Loss SmoothL1LossBackward ScaledMaskedSoftmax ScaledMaskedSoftmaxBackward").split()}
SMALL = 16           # a tensor with a smaller fraction of the largest one's bytes is not a stream: weights, indices, sums
BLOCK, LINE = 256, 64    # the kernel reads whole blocks, aligned to a cache line
MOST_READS, MOST_WRITES = 5, 2


@functools.cache
def kernel(library):
    function = ctypes.CDLL(str(library)).BenchStream
    function.restype = ctypes.c_double
    return function


class Memory:
    """Buffers that have been written once: reading untouched pages causes no memory traffic."""

    def __init__(self, count):
        self.bytes = numpy.ones(count + BLOCK + LINE, numpy.uint8)
        address = self.bytes.ctypes.data
        self.address = address + -address % LINE


class Ceiling:
    """Passes of the stream kernel over streams, each an (address, bytes); other buffers of the same total size replace streams of unequal size."""

    def __init__(self, read, written, threads, non_temporal, library=LIBRARY):
        streams = [*read, *written]
        each = sum(count for _, count in streams) // len(streams)
        addresses = [address for address, _ in streams]
        if any(count != each or count % BLOCK or address % LINE for address, count in streams):
            self.kept = [Memory(each) for _ in streams]
            addresses = [memory.address for memory in self.kept]
        pointers = ctypes.c_void_p * max(1, len(streams))
        self.kernel = kernel(library)
        self.arguments = (pointers(*addresses[:len(read)]), ctypes.c_int64(len(read)), pointers(*addresses[len(read):]), ctypes.c_int64(len(written)),
                          ctypes.c_uint64(each), ctypes.c_int64(threads), ctypes.c_int64(non_temporal))

    def __call__(self, times):
        if self.kernel(*self.arguments, ctypes.c_int64(times)) < 0:
            raise RuntimeError("there is no stream kernel for this")


def contestants(operands, results, threads):
    """With ordinary and with non-temporal stores, of which the faster one counts; empty if a row has more streams than the kernels support."""
    least = max(tensor.nbytes for tensor in (*operands, *results)) / SMALL
    read, written = ([(t.data_ptr(), t.nbytes) for t in tensors if t.nbytes > least] for tensors in (operands, results))
    if not 1 <= len(read) <= MOST_READS or len(written) > MOST_WRITES:
        return []
    return [Ceiling(read, written, threads, non_temporal) for non_temporal in (False, True)]
