# SPDX-License-Identifier: Apache-2.0
"""The versions of PyTorch and of its plug-in that portacl supports, and what differs between them; fallback/versions.h has the differences in C++.

docs/pytorch_versions.md shows what was run with each pair. This module is imported before torch.
"""

import functools
import re
import typing


class Pair(typing.NamedTuple):
    """A version of torch and one of torch-npu that were tested together."""

    torch: str
    torch_npu: str

    def install(self):
        return f"pip install torch=={self.torch} --index-url https://download.pytorch.org/whl/cpu; pip install torch-npu=={self.torch_npu}"


PAIRS = (
    Pair("2.7.1", "2.7.1.post11"),
    Pair("2.8.0", "2.8.0.post5"),
    Pair("2.9.0", "2.9.0.post9"),
    Pair("2.10.0", "2.10.0.post4"),
    Pair("2.13.0", "2.13.0"),
)
NEWEST = PAIRS[-1]
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")    # of the compiler, for the fallback


def release(version):
    """(2, 13) of "2.13.0+cpu"; (0, 0) of a version that does not begin with two numbers."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def is_supported(torch, torch_npu):
    """Whether these versions are a pair; builds of the same version of torch are equal here."""
    return (torch.partition("+")[0], torch_npu) in PAIRS


def nearest(torch):
    """The pair whose torch is the nearest to this version; of two, the newer one."""
    def place(version):
        major, minor = release(version)
        return 1000 * major + minor

    return min(reversed(PAIRS), key=lambda pair: abs(place(pair.torch) - place(torch)))


def aborts_with_cuda(torch_npu):
    """Since 2.11, static initialisers of the plug-in throw while they are loaded if torch was built for CUDA."""
    return release(torch_npu) >= (2, 11)


@functools.cache
def _installed():
    import torch

    return release(torch.__version__)


def composites_of_cpu():
    """Composites that call the CPU's kernels without the dispatcher, and so fail on npu tensors: before 2.9, nanmean.out calls nansum's."""
    return frozenset(["nanmean.out"]) if _installed() < (2, 9) else frozenset()


def composites_for_autograd():
    """Composites that the plug-in replaces for npu tensors, but not for autograd: in 2.8. PyTorch's own derivative of matmul has no forward mode."""
    return frozenset(["matmul", "matmul.out"]) if _installed() == (2, 8) else frozenset()
