# SPDX-License-Identifier: Apache-2.0
"""Run by test_distributed.py with torchrun: one rank of several, each in its own process."""

from distributed_case import NPU, RANK, RANKS, begin, expect, sum_in_order, values

import torch
import torch.distributed as dist


def check_collectives():
    for count in (1, 1000, 300_000):
        everyone = [values(rank, RANKS * count) for rank in range(RANKS)]
        mine = everyone[RANK].to(NPU)
        x = mine.clone()
        dist.all_reduce(x)
        expect("all_reduce", x, sum_in_order(everyone))
        x = mine.clone()
        dist.broadcast(x, RANKS - 1)
        expect("broadcast", x, everyone[-1])
        gathered = [torch.empty_like(mine) for _ in range(RANKS)]
        dist.all_gather(gathered, mine)
        for rank in range(RANKS):
            expect("all_gather", gathered[rank], everyone[rank])
        part = torch.empty(count, device=NPU)
        dist.reduce_scatter_tensor(part, mine)
        expect("reduce_scatter", part, sum_in_order(everyone)[RANK * count:][:count])
        x = torch.empty_like(mine)
        dist.all_to_all_single(x, mine)
        expect("all_to_all", x, torch.cat([each[RANK * count:][:count] for each in everyone]))
    counts = torch.arange(4, device=NPU, dtype=torch.int64) + RANK
    dist.all_reduce(counts, op=dist.ReduceOp.MAX)
    expect("the largest", counts, torch.arange(4) + RANKS - 1)
    objects = [None] * RANKS
    dist.all_gather_object(objects, {"rank": RANK})
    assert objects == [{"rank": rank} for rank in range(RANKS)], objects
    dist.barrier()


def check_messages():
    following, before = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    received = torch.empty(50, device=NPU)
    operations = [dist.P2POp(dist.isend, values(RANK, 50).to(NPU), following), dist.P2POp(dist.irecv, received, before)]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    expect("a message around the ring", received, values(before, 50))
    if RANK < 2:
        x = values(RANK, 7).to(NPU)
        if RANK == 0:
            dist.send(x, 1)
        else:
            dist.recv(x, 0)
            expect("a message to rank 1", x, values(0, 7))


def check_groups():
    """Groups that share ranks, and PyTorch's own Gloo in the same process."""
    of_cpu = dist.new_group(backend="gloo")
    y = values(RANK, 1000)
    dist.all_reduce(y, group=of_cpu)
    torch.testing.assert_close(y, sum_in_order([values(rank, 1000) for rank in range(RANKS)]))
    pairs = [dist.new_group([rank, rank + 1]) for rank in range(RANKS - 1)]
    for rank, pair in enumerate(pairs):
        if RANK in (rank, rank + 1):
            x = values(RANK, 100).to(NPU)
            dist.all_reduce(x, group=pair)
            expect("a sum of two", x, values(rank, 100) + values(rank + 1, 100))
    dist.all_reduce(y, group=of_cpu)
    for rank, pair in enumerate(pairs):
        if RANK in (rank, rank + 1):
            dist.destroy_process_group(pair)


def train(model, batches, step):
    losses = []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(step(loss.detach()))
    return torch.stack(losses)


def check_training():
    """DistributedDataParallel gives the same losses as one process with the whole batch."""
    generator = torch.Generator().manual_seed(1)
    batches = [(torch.randn(16, 8, generator=generator), torch.randn(16, 4, generator=generator)) for _ in range(10)]

    def new_model():
        torch.manual_seed(2)
        return torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))

    def mean_of_ranks(loss):
        dist.all_reduce(loss)
        return loss.cpu() / RANKS

    alone = train(new_model(), batches, lambda loss: loss)
    share = slice(RANK * 16 // RANKS, (RANK + 1) * 16 // RANKS)
    parallel = torch.nn.parallel.DistributedDataParallel(new_model().to(NPU))
    together = train(parallel, [(x[share].to(NPU), y[share].to(NPU)) for x, y in batches], mean_of_ranks)
    torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-6)


begin()
check_collectives()
check_messages()
check_groups()
check_training()
dist.destroy_process_group()
