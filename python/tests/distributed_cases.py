# SPDX-License-Identifier: Apache-2.0
"""Run by test_distributed.py with torchrun: all types and reductions, parts of any size, groups, messages, buffers, and calls by ctypes."""

import ctypes

from distributed_case import NPU, RANK, RANKS, begin, expect, sum_in_order, values

import hccl_calls

import torch
import torch.distributed as dist
from torch.distributed.nn.functional import all_to_all_single as all_to_all_with_gradient

OP = dist.ReduceOp
REDUCTIONS = (OP.SUM, OP.PRODUCT, OP.MAX, OP.MIN, OP.AVG)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64)
FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)
OTHERS = (torch.bool, torch.float8_e4m3fn, torch.float8_e5m2)
REDUCIBLE = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint64, *FLOATS, torch.bool, torch.uint8)


def content(rank, dtype, count):
    generator = torch.Generator().manual_seed(1000 * rank + count)
    if dtype == torch.bool:
        return torch.randint(0, 2, (count,), generator=generator).bool()
    if dtype in FLOATS:
        return torch.randn(count, generator=generator).mul(100).to(dtype)
    size = torch.empty((), dtype=dtype).element_size()
    return torch.randint(0, 256, (count * size,), generator=generator, dtype=torch.uint8).view(dtype)


def combine(op, x, y):
    if op == OP.PRODUCT:
        return x * y
    if op in (OP.MAX, OP.MIN):
        return torch.maximum(x, y) if op == OP.MAX else torch.minimum(x, y)
    return x + y


def reduced(op, parts):
    """The reduction in rank order, for 16 bits in float32 with one rounding; booleans and bytes as in PyTorch's plug-in, in int32."""
    dtype = parts[0].dtype
    inner = torch.float32 if dtype in (torch.float16, torch.bfloat16) else torch.int32 if dtype in (torch.bool, torch.uint8) else dtype
    if dtype == torch.uint64:  # PyTorch cannot add them on a CPU; signed integers with these bits wrap around in the same way
        order = [part.view(torch.int64) for part in parts]
        if op in (OP.MAX, OP.MIN):  # compared as signed integers
            flipped = [part ^ torch.iinfo(torch.int64).min for part in order]
            return (reduced(op, flipped) ^ torch.iinfo(torch.int64).min).view(torch.uint64)
        return reduced(op, order).view(torch.uint64)
    total = parts[0].to(inner)
    for part in parts[1:]:
        total = combine(op, total, part.to(inner))
    return total.to(dtype)


def refused_by(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (RuntimeError, ValueError, TypeError) as error:
        return str(error)
    return None


def check_types():
    for dtype in (*INTEGERS, *FLOATS, *OTHERS):
        for count in (1, 7, 4097):
            everyone = [content(rank, dtype, count) for rank in range(RANKS)]
            gathered = torch.empty(RANKS * count, dtype=dtype, device=NPU)
            dist.all_gather_into_tensor(gathered, everyone[RANK].to(NPU))
            expect_bits(f"all_gather, {dtype}", gathered, torch.cat(everyone))
            x = everyone[RANK].to(NPU)
            dist.broadcast(x, RANKS - 1)
            expect_bits(f"broadcast, {dtype}", x, everyone[-1])
        for op in REDUCTIONS:
            check_reduction(dtype, op)


def check_reduction(dtype, op):
    everyone = [content(rank, dtype, 4097) for rank in range(RANKS)]
    x = everyone[RANK].to(NPU)
    error = refused_by(dist.all_reduce, x, op=op)
    takes = dtype in REDUCIBLE and not (op == OP.PRODUCT and dtype in (torch.int16, torch.bfloat16))
    takes = takes and not (op == OP.AVG and dtype == torch.uint64)  # PyTorch cannot divide them
    if (error is None) != takes:
        raise AssertionError(f"all_reduce, {dtype}, {op}: {error or 'not refused'}")
    if not takes:
        return
    want = reduced(op, everyone)
    if op == OP.AVG:
        # The plug-in divides the sum. Integers are truncated.
        exact = dtype in FLOATS
        want = want / RANKS if exact else torch.div(want.to(torch.int64), RANKS, rounding_mode="trunc").to(dtype)
        if dtype in (torch.bool, torch.uint8):
            return  # the plug-in divides the values that it has cast, in its own way
    expect_bits(f"all_reduce, {dtype}, {op}", x, want)


def expect_bits(what, got, want):
    expect(what, got.cpu().view(torch.uint8), want.view(torch.uint8))


def between(sender, receiver):
    """Elements, with zeros among them."""
    return 0 if (sender + 2 * receiver) % 3 == 0 else 5 + 7 * sender + receiver


def check_uneven():
    out = [between(RANK, peer) for peer in range(RANKS)]
    into = [between(peer, RANK) for peer in range(RANKS)]
    parts = [[values(100 * sender + receiver, between(sender, receiver)) for receiver in range(RANKS)] for sender in range(RANKS)]
    want = torch.cat([parts[peer][RANK] for peer in range(RANKS)])
    # Guard elements on both sides of the received ones.
    guarded = torch.full((sum(into) + 32,), -12345.0, device=NPU)
    dist.all_to_all_single(guarded[16:-16], torch.cat(parts[RANK]).to(NPU), into, out)
    guards = torch.full((16,), -12345.0)
    expect("all_to_all_single", guarded, torch.cat([guards, want, guards]))
    received = [torch.full((count,), -1.0, device=NPU) for count in into]
    dist.all_to_all(received, [part.to(NPU) for part in parts[RANK]])
    expect("all_to_all", torch.cat(received), want)

    sizes = [0 if rank == 1 else 3 + rank for rank in range(RANKS)]
    gathered = [torch.empty(size, device=NPU) for size in sizes]
    dist.all_gather(gathered, values(RANK, sizes[RANK]).to(NPU))
    for rank in range(RANKS):
        expect("all_gather of any sizes", gathered[rank], values(rank, sizes[rank]))
    everyone = [[values(10 * rank + part, sizes[part]) for part in range(RANKS)] for rank in range(RANKS)]
    mine = torch.empty(sizes[RANK], device=NPU)
    dist.reduce_scatter(mine, [part.to(NPU) for part in everyone[RANK]])
    expect("reduce_scatter of any sizes", mine, sum_in_order([each[RANK] for each in everyone]))


def check_experts():
    """A mixture of experts, one per rank: tokens go to their experts and come back, and so do gradients."""
    width, tokens = 6, 10
    x = [values(rank, tokens, width).div(100) for rank in range(RANKS)]
    experts = [values(50 + rank, width, width).div(100) for rank in range(RANKS)]
    # No token of rank 0 goes to the last expert.
    chosen = [torch.arange(tokens) * (rank + 2) % (RANKS if rank else max(RANKS - 1, 1)) for rank in range(RANKS)]
    mine = x[RANK].to(NPU).requires_grad_()
    expert = experts[RANK].to(NPU).requires_grad_()
    order = torch.argsort(chosen[RANK], stable=True)
    out = torch.bincount(chosen[RANK], minlength=RANKS).tolist()
    into = [int((chosen[rank] == RANK).sum()) for rank in range(RANKS)]
    sorted_tokens = mine[order.to(NPU)]
    arrived = all_to_all_with_gradient(torch.empty(sum(into), width, device=NPU), sorted_tokens, into, out)
    returned = all_to_all_with_gradient(torch.empty(tokens, width, device=NPU), (arrived @ expert).relu(), out, into)
    result = torch.zeros_like(returned).index_copy(0, order.to(NPU), returned)
    result.square().sum().backward()

    whole = [each.clone().requires_grad_() for each in x]
    dense = [each.clone().requires_grad_() for each in experts]
    losses = []
    for rank in range(RANKS):
        routed = torch.stack([(whole[rank][token] @ dense[int(choice)]).relu() for token, choice in enumerate(chosen[rank])])
        if rank == RANK:
            torch.testing.assert_close(result.detach().cpu(), routed.detach(), rtol=1e-6, atol=1e-6)
        losses.append(routed.square().sum())
    sum(losses).backward()
    torch.testing.assert_close(mine.grad.cpu(), whole[RANK].grad, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(expert.grad.cpu(), dense[RANK].grad, rtol=1e-5, atol=1e-5)


def check_opposite_orders():
    """Two groups of the same ranks and one of some of them, used in opposite order on two streams."""
    first, second, some = dist.new_group(), dist.new_group(), dist.new_group(list(range(RANKS - 1)))
    groups = [group for group in (first, second, some) if group is not dist.GroupMember.NON_GROUP_MEMBER]
    for group in groups:  # created by all ranks in the same order: PyTorch does it at the first use, and waits
        dist.all_reduce(torch.ones(1, device=NPU), group=group)
    streams = [torch.npu.Stream(), torch.npu.Stream()]
    for turn in range(20):
        a, b, c = (values(turn + 10 * RANK + kind, 500).to(NPU) for kind in range(3))
        torch.npu.synchronize()
        calls = [(streams[0], first, a), (streams[1], second, b)]
        for stream, group, x in calls if RANK % 2 == 0 else reversed(calls):
            with torch.npu.stream(stream):
                dist.all_reduce(x, group=group)
        if RANK < RANKS - 1:
            dist.all_reduce(c, group=some)
        torch.npu.synchronize()
        expect("the first group", a, sum_in_order([values(turn + 10 * rank, 500) for rank in range(RANKS)]))
        expect("the second group", b, sum_in_order([values(turn + 10 * rank + 1, 500) for rank in range(RANKS)]))
        if RANK < RANKS - 1:
            expect("some ranks", c, sum_in_order([values(turn + 10 * rank + 2, 500) for rank in range(RANKS - 1)]))
    for group in groups:
        dist.destroy_process_group(group)


def check_messages():
    if RANK < 2:
        for turn in range(5):
            x, received = values(turn + 7 * RANK, 1000).to(NPU), torch.empty(1000, device=NPU)
            if RANK == 0:
                dist.isend(x, 1).wait()
                dist.irecv(received, 1).wait()
            else:
                dist.irecv(received, 0).wait()
                dist.isend(x, 0).wait()
            expect("a message in each direction", received, values(turn + 7 * (1 - RANK), 1000))
    # One at a time they would wait for each other: all ranks send first.
    following, before = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    x, received = values(RANK, 300_000).to(NPU), torch.empty(300_000, device=NPU)
    with dist._coalescing_manager(device=NPU, async_ops=True) as coalesced:
        dist.isend(x, following)
        dist.irecv(received, before)
    coalesced.wait()
    expect("a coalesced message", received, values(before, 300_000))


def check_buffers():
    """In place, one buffer a part of the other, and reused as soon as the call has returned."""
    count = 100_000
    everyone = [values(rank, RANKS * count) for rank in range(RANKS)]
    x = torch.zeros(RANKS * count, device=NPU)
    own = x[RANK * count :][:count]
    own.copy_(everyone[RANK][:count])
    dist.all_gather_into_tensor(x, own)
    expect("all_gather in place", x, torch.cat([each[:count] for each in everyone]))
    x = everyone[RANK].to(NPU)
    own = x[RANK * count :][:count]
    dist.reduce_scatter_tensor(own, x)
    expect("reduce_scatter in place", own, sum_in_order(everyone)[RANK * count :][:count])
    x = everyone[RANK].to(NPU)
    sums = []
    for turn in range(4):
        total = x.clone()
        dist.all_reduce(total)
        x.fill_(turn + RANK)
        sums.append(total)
        del total
    expect("a buffer that is used again", sums[0], sum_in_order(everyone))
    for turn in range(3):
        expect("and again", sums[turn + 1], torch.full((RANKS * count,), float(sum(turn + rank for rank in range(RANKS)))))


def check_ctypes():
    """Like vllm-ascend's pyhccl: the root info is sent through a Gloo group of PyTorch, tensors and streams are passed by address."""
    group = dist.new_group(backend="gloo")
    hccl = hccl_calls.Hccl()
    root = hccl.root_info() if RANK == 0 else hccl_calls.RootInfo()
    text = torch.frombuffer(bytearray(bytes(root)), dtype=torch.uint8)
    dist.broadcast(text, 0, group=group)
    ctypes.memmove(ctypes.byref(root), text.data_ptr(), ctypes.sizeof(root))
    communicator = hccl.join(RANKS, root, RANK)
    stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
    x, total = values(RANK, 1000).to(NPU), torch.empty(1000, device=NPU)
    hccl.call("AllReduce", x.data_ptr(), total.data_ptr(), 1000, 4, hccl_calls.SUM, communicator, stream)
    expect("HcclAllReduce", total, sum_in_order([values(rank, 1000) for rank in range(RANKS)]))
    hccl.call("Broadcast", x.data_ptr(), 1000, 4, RANKS - 1, communicator, stream)
    expect("HcclBroadcast", x, values(RANKS - 1, 1000))
    torch.npu.synchronize()
    hccl.call("CommDestroy", communicator)


begin()
check_types()
check_uneven()
check_experts()
check_opposite_orders()
check_messages()
check_buffers()
check_ctypes()
dist.destroy_process_group()
