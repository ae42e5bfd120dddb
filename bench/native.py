# SPDX-License-Identifier: Apache-2.0
"""libportacl_bench through ctypes: memory, tensors, and contestants whose timed loop runs in C++."""
import ctypes
import math

from operator_table import DTYPES, decode, encode

PATTERN = 65521    # elements drawn for one operand, then repeated; a prime, so that no two rows or pages are alike


class OperandView(ctypes.Structure):
    """The layout of bench/operand_view.h."""
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int64), ("rank", ctypes.c_int64),
                ("offset", ctypes.c_int64), ("storage", ctypes.c_int64), ("shape", ctypes.c_int64 * 8),
                ("strides", ctypes.c_int64 * 8)]


def contiguous(shape):
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


class Library:
    """The functions of libportacl_bench, and phase 2 of the operators by name."""

    def __init__(self, path):
        self.bench = ctypes.CDLL(str(path))    # brings libopapi, whose functions are found through this handle
        for name, result in (("BenchAllocate", ctypes.c_void_p), ("BenchPrepare", ctypes.c_void_p),
                             ("BenchTime", ctypes.c_double), ("BenchTimeEach", ctypes.c_double),
                             ("BenchStream", ctypes.c_double), ("BenchFirstDifference", ctypes.c_int64),
                             ("BenchTarget", ctypes.c_char_p), ("aclGetRecentErrMsg", ctypes.c_char_p)):
            getattr(self.bench, name).restype = result

    def target(self):
        return self.bench.BenchTarget().decode()


class Tensor:
    """A strided view of memory of its own. Strides in elements; default contiguous."""

    def __init__(self, library, dtype, shape, strides=None):
        self.library, self.dtype, self.shape = library, dtype, tuple(shape)
        self.strides = tuple(strides or contiguous(shape))
        self.elements = math.prod(self.shape)
        self.storage = 1 + sum((n - 1) * stride for n, stride in zip(self.shape, self.strides))
        self.bytes = self.storage * DTYPES[dtype].bytes
        # Stream kernels work on whole blocks of 256 bytes.
        self.data = library.bench.BenchAllocate(ctypes.c_uint64(self.bytes + 256))
        if not self.data:
            raise MemoryError(f"{self.bytes} bytes")

    def release(self):
        self.library.bench.BenchFree(ctypes.c_void_p(self.data))

    def fill(self, pattern):
        self.library.bench.BenchFill(ctypes.c_void_p(self.data), ctypes.c_uint64(self.bytes), pattern,
                                     ctypes.c_uint64(len(pattern)))

    def draw(self, value, random):
        self.fill(encode(self.dtype, [value(random, self.dtype) for _ in range(min(PATTERN, self.storage))]))

    def view(self):
        pad = (0,) * (8 - len(self.shape))
        return OperandView(self.data, DTYPES[self.dtype].number, len(self.shape), 0, self.storage,
                           (ctypes.c_int64 * 8)(*self.shape, *pad), (ctypes.c_int64 * 8)(*self.strides, *pad))

    def __call__(self, i):
        """Element i in row-major order."""
        offset = 0
        for n, stride in zip(reversed(self.shape), reversed(self.strides)):
            offset += i % n * stride
            i //= n
        width = DTYPES[self.dtype].bytes
        return decode(self.dtype, ctypes.string_at(self.data + offset * width, width))[0]

    def run(self, first, count):
        """Elements [first, first + count) of a contiguous tensor."""
        width = DTYPES[self.dtype].bytes
        return decode(self.dtype, ctypes.string_at(self.data + first * width, count * width))

    def gather(self):
        """The elements in row-major order, as a ctypes buffer."""
        copy = ctypes.create_string_buffer(self.elements * DTYPES[self.dtype].bytes)
        self.library.bench.BenchGather(ctypes.byref(self.view()), copy)
        return copy

    def touched_bytes(self):
        """Bytes of the cache lines in which elements of the view lie."""
        width = DTYPES[self.dtype].bytes
        axes = sorted((stride, n) for n, stride in zip(self.shape, self.strides) if n > 1)
        bytes_of_run, runs = width, 1
        for stride, n in axes:
            if stride * width <= max(64, bytes_of_run):
                bytes_of_run = (n - 1) * stride * width + bytes_of_run
            else:
                runs *= n
        return runs * math.ceil(bytes_of_run / 64) * 64


class PortaclContestant:
    """Both phases of an operator and the wait for the stream."""
    name = "Portacl"

    def __init__(self, library, operator, operands, attributes):
        self.library, self.out = library, operands[-1]
        views = (OperandView * len(operands))(*(operand.view() for operand in operands))
        run = ctypes.cast(getattr(library.bench, operator.api), ctypes.c_void_p)
        plan = ctypes.cast(getattr(library.bench, operator.plan), ctypes.c_void_p)
        self.call = library.bench.BenchPrepare(plan, run, views, ctypes.c_int64(len(operands)),
                                               (ctypes.c_double * len(attributes))(*attributes),
                                               ctypes.c_int64(len(attributes)))
        if not self.call:
            raise RuntimeError(library.bench.aclGetRecentErrMsg().decode())

    def time(self, calls):
        return self.library.bench.BenchTime(ctypes.c_void_p(self.call), ctypes.c_int64(calls))

    def time_each(self, calls):
        seconds = (ctypes.c_double * calls)()
        if self.library.bench.BenchTimeEach(ctypes.c_void_p(self.call), ctypes.c_int64(calls), seconds) < 0:
            raise RuntimeError("a call failed")
        return list(seconds)

    def output(self):
        return self.out.gather()

    def release(self):
        self.library.bench.BenchRelease(ctypes.c_void_p(self.call))


class StreamContestant:
    """The ceiling: a kernel that reads and writes as many streams with the same traffic, on the operands' own memory
    when each of them is one stream, else on memory of its own."""

    def __init__(self, library, operands, reads, writes, threads, non_temporal):
        self.name = "non-temporal stream" if non_temporal else "stream"
        self.library, self.threads, self.non_temporal = library, threads, non_temporal
        self.reads, self.writes = reads, writes
        traffic = sum(operand.bytes for operand in operands)
        self.bytes = traffic // (reads + writes)
        self.own = []
        if len(operands) != reads + writes or any(operand.bytes != self.bytes for operand in operands):
            self.own = [Tensor(library, "FLOAT", (self.bytes // 4,)) for _ in range(reads + writes)]
            for tensor in self.own:
                tensor.fill(b"\0")    # pages that were never written cost no memory traffic
        streams = [tensor.data for tensor in self.own or operands]
        self.read = (ctypes.c_void_p * reads)(*streams[:reads])
        self.write = (ctypes.c_void_p * max(1, writes))(*streams[reads:])

    def time(self, calls):
        return self.library.bench.BenchStream(
            self.read, ctypes.c_int64(self.reads), self.write, ctypes.c_int64(self.writes), ctypes.c_uint64(self.bytes),
            ctypes.c_int64(self.threads), ctypes.c_int64(self.non_temporal), ctypes.c_int64(calls))

    def release(self):
        for tensor in self.own:
            tensor.release()


def first_difference(library, dtype, count, want, got, relative, absolute):
    """Index of the first of `count` elements that is not close enough, -1 without one."""
    return library.bench.BenchFirstDifference(ctypes.c_int64(DTYPES[dtype].number), ctypes.c_int64(count), want, got,
                                              ctypes.c_double(relative), ctypes.c_double(absolute))
