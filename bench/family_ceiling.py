# SPDX-License-Identifier: Apache-2.0
"""The ceiling of a row: the kernel of stream_bench.cc that moves as many bytes in as many streams, and computes nothing."""
import functools
import pathlib

from native import Library, StreamContestant

LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "build/release/bench/libportacl_bench.so"
DTYPES = ("FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE")
# Rows that memory should bind.
OPERATORS = {"aclnn" + name for name in (
    "Add Sub Mul Div Adds Muls Cast Exp Sqrt Rsqrt Sigmoid Silu Gelu GeluV2 Tanh Relu SigmoidBackward SiluBackward GeluBackward GeluBackwardV2 "
    "TanhBackward ThresholdBackward Softmax LogSoftmax LayerNorm RmsNorm ReduceSum Mean Cat Permute GatherV2 IndexSelect Repeat Tril Triu").split()}
SMALL = 16    # a tensor of a smaller part of the largest one's bytes is no stream: weights, indices, sums


@functools.cache
def library():
    return Library(LIBRARY)


class Stream:
    """A tensor as native.py's contestants know one."""

    def __init__(self, tensor):
        self.data, self.bytes = tensor.data_ptr(), tensor.nbytes


class Ceiling:
    """Passes of the stream kernel over a row's operands and results, or over as many bytes where these differ in size."""

    def __init__(self, operands, results, non_temporal):
        read, written = ([Stream(tensor) for tensor in tensors] for tensors in (operands, results))
        least = max(stream.bytes for stream in read + written) / SMALL
        read, written = ([stream for stream in streams if stream.bytes > least] for streams in (read, written))
        self.stream = StreamContestant(library(), read + written, len(read), len(written), 1, non_temporal)

    def __call__(self, times):
        self.stream.time(times)


def contestants(operands, results):
    """With ordinary and with non-temporal stores; the faster one counts."""
    return [Ceiling(operands, results, non_temporal) for non_temporal in (False, True)]
