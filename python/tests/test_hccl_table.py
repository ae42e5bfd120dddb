# SPDX-License-Identifier: Apache-2.0
"""All operations between processes, all types, compared with NumPy in rank order: the same bits, and no write outside the results.

Every pair of operation and type, with every reduction, is tested with 0, 1, 7 and 4097 elements on 1, 2, 3, 5 and 8 ranks. A million
elements are added and moved once for each type, on 2 and 5 ranks. The mean is computed by PyTorch: a sum and a division
(test_distributed.py).
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import hccl_calls
from hccl_calls import MAX, MIN, NOT_SUPPORTED, PROD, SUM

RANKS = (1, 2, 3, 5, 8)
SIZES = (0, 1, 7, 4097)
LARGE = 1 << 20
LARGE_RANKS = (2, 5)
GUARD = 64  # bytes on both sides of each buffer

# Numbered as in HcclDataType. 8-bit types that NumPy lacks are moved as bytes, bfloat16 as two bytes.
TYPES = {0: np.int8, 1: np.int16, 2: np.int32, 3: np.float16, 4: np.float32, 5: np.int64, 6: np.uint64, 7: np.uint8, 8: np.uint16, 9: np.uint32,
         10: np.float64, 11: np.uint16, 14: np.uint8, 15: np.uint8, 16: np.uint8, 17: np.uint8}
HALF, BFLOAT = 3, 11
NO_TYPES = (12, 13, 255)  # INT128, a gap, and the end
REDUCIBLE = {0, 1, 2, 3, 4, 5, 6, 10, 11}


def reduces(function, dtype, op):
    if dtype not in REDUCIBLE or op > MIN:
        return False
    if op == PROD and dtype in (1, BFLOAT):
        return False
    return not (function == "ReduceScatterV" and dtype in (6, 10))


def widen(dtype, x):
    if dtype == BFLOAT:
        return (x.astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float32) if dtype == HALF else x


def narrow(dtype, x):
    if dtype == HALF:
        return x.astype(np.float16)
    if dtype != BFLOAT:
        return x
    bits = x.view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


def combine(op, x, y):
    if op in (SUM, PROD):
        return x + y if op == SUM else x * y
    keeps = x >= y if op == MAX else x <= y
    return np.where(keeps | (x != x), x, y)


def reduced(dtype, op, parts):
    with np.errstate(all="ignore"):
        total = widen(dtype, parts[0])
        for part in parts[1:]:
            total = combine(op, total, widen(dtype, part))
        return narrow(dtype, total)


def is_nan(dtype, x):
    x = widen(dtype, x)
    return x != x


def values(rank, dtype, count):
    """Any bits for integers, which wrap around; for floats every kind: values whose sum depends on the order, NaN, infinities, zeros, overflow."""
    random = np.random.default_rng([rank, dtype, count])
    if dtype not in (HALF, 4, 10, BFLOAT):
        return random.integers(0, 256, count * np.dtype(TYPES[dtype]).itemsize, dtype=np.uint8).view(TYPES[dtype])
    x = random.standard_normal(count).astype(np.float32) * np.float32(1000)
    special = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 65504, -65504, 6e-8, 3e38, -3e38, 1e-40], np.float32)
    chosen = random.random(count) < 0.1
    x[chosen] = random.choice(special, int(chosen.sum()))
    with np.errstate(all="ignore"):
        return narrow(dtype, x) if dtype in (HALF, BFLOAT) else x.astype(TYPES[dtype])


class Buffer:
    """Elements between guards. Elements that are not written must not change."""

    def __init__(self, dtype, content):
        self.dtype = dtype
        self._bytes = np.full(content.nbytes + 2 * GUARD, 0xA5, np.uint8)
        self.elements[:] = content

    @classmethod
    def empty(cls, dtype, count):
        return cls(dtype, np.full(count * np.dtype(TYPES[dtype]).itemsize, 0x5A, np.uint8).view(TYPES[dtype]))

    @property
    def elements(self):
        return self._bytes[GUARD : len(self._bytes) - GUARD].view(TYPES[self.dtype])

    @property
    def address(self):
        return self._bytes.ctypes.data + GUARD

    def expect(self, what, want):
        got = self.elements
        same = got.view(np.uint8).tobytes() == np.ascontiguousarray(want).view(np.uint8).tobytes()
        if not same and self.dtype in (HALF, 4, 10, BFLOAT):  # the bits of a NaN are unspecified
            bits = f"u{got.itemsize}"
            same = bool(np.all((got.view(bits) == want.view(bits)) | (is_nan(self.dtype, got) & is_nan(self.dtype, want))))
        if not same:
            raise AssertionError(f"{what}: {got} is not {want}")
        if np.any(self._bytes[:GUARD] != 0xA5) or np.any(self._bytes[len(self._bytes) - GUARD :] != 0xA5):
            raise AssertionError(f"{what}: bytes beside the buffer are written")


def array(numbers):
    return (ctypes.c_uint64 * len(numbers))(*numbers)


def places(counts, gap):
    """The start of each part, with `gap` elements between parts, and the end of the last."""
    begins, end = [], gap
    for count in counts:
        begins.append(end)
        end += count + gap
    return begins, end


class Rank:
    def __init__(self, rank, ranks, folder):
        self.rank, self.ranks = rank, ranks
        self.hccl, self.stream = hccl_calls.Hccl(), hccl_calls.Stream()
        path = pathlib.Path(folder, "root")
        if rank == 0:
            root = self.hccl.root_info()
            path.with_suffix(".new").write_bytes(bytes(root))
            path.with_suffix(".new").rename(path)
        while not path.exists():
            time.sleep(0.01)
        self.communicator = self.hccl.join(ranks, hccl_calls.RootInfo.from_buffer_copy(path.read_bytes()), rank)
        self.pending = []

    def call(self, name, *arguments):
        self.hccl.call(name, *arguments, self.communicator, self.stream.handle)

    def expect(self, what, buffer, want):
        """Compares after everything that is queued has run."""
        self.pending.append((what, buffer, want))

    def finish(self):
        self.stream.wait()
        for what, buffer, want in self.pending:
            buffer.expect(f"rank {self.rank} of {self.ranks}: {what}", want)
        self.pending.clear()

    def check_moves(self, dtype, count):
        rank, ranks = self.rank, self.ranks
        everyone = [values(peer, dtype, count * ranks) for peer in range(ranks)]
        parts = [each[:count] for each in everyone]
        title = f"type {dtype}, {count} elements"
        whole, own = Buffer(dtype, everyone[rank]), Buffer(dtype, parts[rank])

        x = Buffer(dtype, parts[rank])
        self.call("Broadcast", x.address, count, dtype, ranks - 1)
        self.expect(f"Broadcast, {title}", x, parts[-1])
        x = Buffer.empty(dtype, count * ranks)
        self.call("AllGather", own.address, x.address, count, dtype)
        self.expect(f"AllGather, {title}", x, np.concatenate(parts))
        x = Buffer.empty(dtype, count)
        self.call("Scatter", whole.address if rank == 0 else None, x.address, count, dtype, 0)
        self.expect(f"Scatter, {title}", x, everyone[0][rank * count :][:count])
        x = Buffer.empty(dtype, count * ranks)
        self.call("AlltoAll", whole.address, count, dtype, x.address, count, dtype)
        self.expect(f"AlltoAll, {title}", x, np.concatenate([each[rank * count :][:count] for each in everyone]))
        self.check_messages(dtype, count, parts, own, title)
        self.check_uneven_moves(dtype, count, title)
        self.finish()

    def check_messages(self, dtype, count, parts, own, title):
        rank, ranks = self.rank, self.ranks
        following, before = (rank + 1) % ranks, (rank - 1) % ranks
        x = Buffer.empty(dtype, count)
        items = (hccl_calls.Item * 2)((0, own.address, count, dtype, following), (1, x.address, count, dtype, before))
        self.call("BatchSendRecv", items, 2)
        self.expect(f"BatchSendRecv, {title}", x, parts[before])
        x = Buffer.empty(dtype, count)
        if rank == 0 and ranks > 1:
            self.call("Send", own.address, count, dtype, ranks - 1)
        elif rank == ranks - 1 > 0:
            self.call("Recv", x.address, count, dtype, 0)
            self.expect(f"Recv, {title}", x, parts[0])

    def check_uneven_moves(self, dtype, count, title):
        """Some counts are zero, and there are gaps between the parts; the arrays are overwritten as soon as the call has returned."""
        rank, ranks = self.rank, self.ranks
        between = [[0 if (a + b) % 3 == 0 else count + 2 * a + b for b in range(ranks)] for a in range(ranks)]
        sends = [values(peer, dtype, sum(between[peer])) for peer in range(ranks)]
        ends = np.cumsum([[0, *row] for row in between], axis=1)
        wanted = [sends[peer][ends[peer][rank] : ends[peer][rank + 1]] for peer in range(ranks)]
        send, dense = Buffer(dtype, sends[rank]), Buffer.empty(dtype, sum(map(len, wanted)))
        matrix = array([each for row in between for each in row])
        self.call("AlltoAllVC", send.address, matrix, dtype, dense.address, dtype)
        self.expect(f"AlltoAllVC, {title}", dense, np.concatenate(wanted))

        begins, end = places([len(each) for each in wanted], 3)
        loose = Buffer.empty(dtype, end)
        want = loose.elements.copy()
        for begin, part in zip(begins, wanted):
            want[begin : begin + len(part)] = part
        arrays = [array(between[rank]), array(ends[rank][:-1]), array([len(each) for each in wanted]), array(begins)]
        self.call("AlltoAllV", send.address, arrays[0], arrays[1], dtype, loose.address, arrays[2], arrays[3], dtype)
        self.expect(f"AlltoAllV, {title}", loose, want)

        counts = [0 if peer % 3 == 1 else count + peer for peer in range(ranks)]
        begins, end = places(counts, 2)
        own, gathered = Buffer(dtype, values(rank, dtype, counts[rank])), Buffer.empty(dtype, end)
        want = gathered.elements.copy()
        for peer, begin in enumerate(begins):
            want[begin : begin + counts[peer]] = values(peer, dtype, counts[peer])
        arrays += [array(counts), array(begins)]
        self.call("AllGatherV", own.address, counts[rank], gathered.address, arrays[4], arrays[5], dtype)
        self.expect(f"AllGatherV, {title}", gathered, want)
        for each in (matrix, *arrays):
            ctypes.memset(each, 0xFF, ctypes.sizeof(each))
        self.finish()  # their buffers must live until here

    def check_reductions(self, dtype, op, count):
        rank, ranks = self.rank, self.ranks
        everyone = [values(peer, dtype, count * ranks) for peer in range(ranks)]
        want = reduced(dtype, op, everyone)
        title = f"type {dtype}, reduction {op}, {count} elements"
        whole, x = Buffer(dtype, everyone[rank]), Buffer.empty(dtype, count * ranks)
        self.call("AllReduce", whole.address, x.address, count * ranks, dtype, op)
        self.expect(f"AllReduce, {title}", x, want)
        y = Buffer(dtype, everyone[rank])
        self.call("AllReduce", y.address, y.address, count * ranks, dtype, op)
        self.expect(f"AllReduce in place, {title}", y, want)
        z = Buffer.empty(dtype, count * ranks)
        self.call("Reduce", whole.address, z.address, count * ranks, dtype, op, ranks - 1)
        self.expect(f"Reduce, {title}", z, want if rank == ranks - 1 else z.elements.copy())
        part = Buffer.empty(dtype, count)
        self.call("ReduceScatter", whole.address, part.address, count, dtype, op)
        self.expect(f"ReduceScatter, {title}", part, want[rank * count :][:count])
        if not reduces("ReduceScatterV", dtype, op):
            return self.finish()
        counts = [0 if peer % 3 == 1 else count for peer in range(ranks)]
        begins = [peer * count for peer in range(ranks)]
        uneven = Buffer.empty(dtype, counts[rank])
        self.call("ReduceScatterV", whole.address, array(counts), array(begins), uneven.address, counts[rank], dtype, op)
        self.expect(f"ReduceScatterV, {title}", uneven, want[rank * count :][: counts[rank]])
        return self.finish()

    def check_refusals(self):
        """The same refusals as on the card, no more and no less. A refused call sends nothing."""
        buffer = (ctypes.c_uint8 * 4096)()
        counts, begins = array([1] * self.ranks), array(range(self.ranks))
        a, b = ctypes.addressof(buffer), ctypes.addressof(buffer) + 2048
        for dtype in (*TYPES, *NO_TYPES):
            for op in (SUM, PROD, MAX, MIN, 4, 255):
                calls = {"AllReduce": (a, b, 1, dtype, op), "Reduce": (a, b, 1, dtype, op, 0), "ReduceScatter": (a, b, 1, dtype, op),
                         "ReduceScatterV": (a, counts, begins, b, 1, dtype, op)}
                for name, arguments in calls.items():
                    self.expect_status(name, arguments, 0 if reduces(name, dtype, op) else NOT_SUPPORTED)
        for dtype in NO_TYPES:
            matrix = array([1] * self.ranks**2)
            calls = {"Broadcast": (a, 1, dtype, 0), "AllGather": (a, b, 1, dtype), "Scatter": (a, b, 1, dtype, 0),
                     "AlltoAll": (a, 1, dtype, b, 1, dtype), "AlltoAllVC": (a, matrix, dtype, b, dtype),
                     "AlltoAllV": (a, counts, begins, dtype, b, counts, begins, dtype), "AllGatherV": (a, 1, b, counts, begins, dtype)}
            for name, arguments in calls.items():
                self.expect_status(name, arguments, NOT_SUPPORTED)
        self.call("Barrier")
        self.finish()

    def expect_status(self, name, arguments, want):
        got = self.hccl.status_of(name, *arguments, self.communicator, self.stream.handle)
        if got != want:
            raise AssertionError(f"Hccl{name}{arguments}: {got} is not {want}")

    def run(self):
        for count in SIZES:
            for dtype in TYPES:
                self.check_moves(dtype, count)
                for op in (SUM, PROD, MAX, MIN):
                    if reduces("AllReduce", dtype, op):
                        self.check_reductions(dtype, op, count)
        if self.ranks in LARGE_RANKS:
            for dtype in TYPES:
                self.check_moves(dtype, LARGE // self.ranks)
                if dtype in REDUCIBLE:
                    self.check_reductions(dtype, SUM, LARGE // self.ranks)
        self.check_refusals()
        self.hccl.call("CommDestroy", self.communicator)


class Table(unittest.TestCase):
    def test_has_the_bits_of_numpy(self):
        for ranks in RANKS:
            for shares in ("1", "0") if ranks in (2, 3) else ("1",) if ranks == 8 else ("0",):
                with self.subTest(ranks=ranks, shared_memory=shares), tempfile.TemporaryDirectory() as folder:
                    environment = {**os.environ, "PORTACL_SHARED_MEMORY": shares, "OPENBLAS_NUM_THREADS": "1"}
                    processes = [subprocess.Popen([sys.executable, __file__, str(rank), str(ranks), folder], env=environment,
                                                  stderr=subprocess.PIPE, text=True) for rank in range(ranks)]
                    errors = [process.communicate(timeout=300)[1] for process in processes]
                    self.assertEqual([process.returncode for process in processes], [0] * ranks, "\n".join(errors))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1].isdigit():
        Rank(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]).run()
    else:
        unittest.main()
