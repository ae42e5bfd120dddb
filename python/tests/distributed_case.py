# SPDX-License-Identifier: Apache-2.0
"""Shared by the scripts of ranks: the rank, its device, values that every rank can compute, and the order of sums."""

import os

import npu_case  # noqa: F401 (the toolkit before torch)

import torch
import torch.distributed as dist

RANK, RANKS = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
NPU = torch.device("npu", int(os.environ["LOCAL_RANK"]))


def begin():
    torch.npu.set_device(NPU)
    # Without the test's file, the variables of torchrun are used.
    dist.init_process_group("hccl", init_method=os.environ.get("RANKS_MEET_AT"), rank=RANK, world_size=RANKS)


def values(rank, *shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(rank)
    return torch.randn(*shape, generator=generator).mul(100).to(dtype)


def expect(what, got, want):
    if not torch.equal(got.cpu(), want):
        raise AssertionError(f"rank {RANK} of {RANKS}: {what}: {got.cpu()} is not {want}")


def sum_in_order(parts):
    total = parts[0].clone()
    for part in parts[1:]:
        total += part
    return total
