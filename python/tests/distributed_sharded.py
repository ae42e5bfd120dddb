# SPDX-License-Identifier: Apache-2.0
"""Run by test_distributed.py with torchrun: DDP, FSDP2, FSDP1 and DTensor give the same values as one process with all data."""

import pathlib

from distributed_case import NPU, RANK, RANKS, begin, expect, values

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

BATCH, STEPS = 12, 5


def new_model():
    """Row counts that are not divisible by any number of ranks."""
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(8, 31), nn.ReLU(), nn.Linear(31, 17), nn.ReLU(), nn.Linear(17, 5)).to(NPU)


def batches():
    generator = torch.Generator().manual_seed(1)
    return [(torch.randn(BATCH, 8, generator=generator).to(NPU), torch.randn(BATCH, 5, generator=generator).to(NPU)) for _ in range(STEPS)]


def loss_of(model, x, y):
    return nn.functional.mse_loss(model(x).float(), y)


def train(model):
    """Each rank with its share of each batch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    share = slice(RANK * BATCH // RANKS, (RANK + 1) * BATCH // RANKS)
    for x, y in batches():
        optimizer.zero_grad()
        loss_of(model, x[share], y[share]).backward()
        optimizer.step()


def train_alone(dtype=torch.float32):
    """Not sharded. In float32 with whole batches; in another type the shares are computed one by one, as their rounding is part of the result."""
    model = new_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for x, y in batches():
        optimizer.zero_grad()
        if dtype == torch.float32:
            loss_of(model, x, y).backward()
        else:
            for rank in range(RANKS):
                share = slice(rank * BATCH // RANKS, (rank + 1) * BATCH // RANKS)
                part = new_model().to(dtype)
                with torch.no_grad():
                    for mine, whole in zip(part.parameters(), model.parameters()):
                        mine.copy_(whole)
                loss_of(part, x[share].to(dtype), y[share]).backward()
                for mine, whole in zip(part.parameters(), model.parameters()):
                    gradient = mine.grad.float() / RANKS
                    whole.grad = gradient if whole.grad is None else whole.grad + gradient
        optimizer.step()
    return [parameter.detach().cpu() for parameter in model.parameters()]


def expect_close(what, parameters, wanted, tolerance):
    for got, want in zip(parameters, wanted, strict=True):
        torch.testing.assert_close(got.detach().cpu(), want, rtol=tolerance, atol=tolerance, msg=lambda text: f"{what}: {text}")


def shard(model, **options):
    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, **options)
    return fully_shard(model, **options)


def check_data_parallel():
    """One epoch of the digits: the values of one process with whole batches, and the same bits on all ranks and in two runs."""
    data = pathlib.Path(__file__).resolve().parents[2] / "data" / "digits"
    images = torch.from_numpy(np.load(data / "digits.npy").astype(np.float32) / 16).flatten(1).to(NPU)
    labels = torch.from_numpy(np.load(data / "labels.npy").astype(np.int64)).to(NPU)

    def epoch(parallel):
        torch.manual_seed(4)
        model = nn.Sequential(nn.Linear(64, 48), nn.GELU(), nn.Linear(48, 10)).to(NPU)
        taught = nn.parallel.DistributedDataParallel(model) if parallel else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for batch in torch.arange(1740).split(60):
            mine = batch.chunk(RANKS)[RANK] if parallel else batch
            optimizer.zero_grad()
            nn.functional.cross_entropy(taught(images[mine]), labels[mine]).backward()
            optimizer.step()
        return [parameter.detach().cpu() for parameter in model.parameters()]

    runs = [epoch(parallel=True), epoch(parallel=True)]
    expect_close("data parallel", runs[0], epoch(parallel=False), 1e-6)
    for first, second in zip(*runs):
        expect("the second run", second, first)
        everyone = [torch.empty_like(first, device=NPU) for _ in range(RANKS)]
        dist.all_gather(everyone, first.to(NPU))
        for other in everyone:
            expect("the parameters of another rank", other, first)


def check_fsdp2():
    model = shard(new_model())
    train(model)
    expect_close("FSDP2", [parameter.full_tensor() for parameter in model.parameters()], train_alone(), 1e-6)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = shard(new_model(), mp_policy=policy)
    train(model)
    expect_close("FSDP2 with bfloat16", [parameter.full_tensor() for parameter in model.parameters()], train_alone(torch.bfloat16), 1e-3)


def check_fsdp1():
    model = FullyShardedDataParallel(new_model(), device_id=NPU, use_orig_params=True)
    train(model)
    with FullyShardedDataParallel.summon_full_params(model):
        expect_close("FSDP1", list(model.parameters()), train_alone(), 1e-6)


def check_redistribution():
    """From every placement to every other, with rows and columns that are not divisible by any number of ranks."""
    mesh = init_device_mesh("npu", (RANKS,))
    whole = values(1, 7, 11)
    for source in (Shard(0), Shard(1), Replicate()):
        for target in (Shard(0), Shard(1), Replicate()):
            moved = distribute_tensor(whole.to(NPU), mesh, [source]).redistribute(mesh, [target])
            expect(f"{source} to {target}", moved.full_tensor(), whole)
            local = torch.tensor_split(whole, moved_ends(whole.shape[target.dim]), target.dim)[RANK] if target.is_shard() else whole
            expect(f"the local part of {source} to {target}", moved.to_local(), local)
    parts = [values(rank, 7, 11) for rank in range(RANKS)]
    total = parts[0].clone()
    for part in parts[1:]:
        total += part
    for target in (Shard(0), Shard(1), Replicate()):
        summed = DTensor.from_local(parts[RANK].to(NPU), mesh, [Partial()]).redistribute(mesh, [target])
        expect(f"a sum to {target}", summed.full_tensor(), total)


def moved_ends(size):
    """Where DTensor splits a dimension: parts of equal size, rounded up."""
    part = -(-size // RANKS)
    return [min(size, part * rank) for rank in range(1, RANKS)]


def check_tensor_parallel():
    def pair_of_layers():
        torch.manual_seed(3)
        return nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 6)).to(NPU)

    alone, x = pair_of_layers(), values(5, 4, 8).div(100).to(NPU)
    parallel = parallelize_module(pair_of_layers(), init_device_mesh("npu", (RANKS,)), {"0": ColwiseParallel(), "2": RowwiseParallel()})
    for model in (alone, parallel):
        model(x).square().mean().backward()
    gradients = [parameter.grad.full_tensor() if isinstance(parameter.grad, DTensor) else parameter.grad for parameter in parallel.parameters()]
    expect_close("tensor parallel", gradients, [parameter.grad.cpu() for parameter in alone.parameters()], 1e-6)


begin()
check_data_parallel()
check_fsdp2()
check_fsdp1()
check_redistribution()
check_tensor_parallel()
dist.destroy_process_group()
