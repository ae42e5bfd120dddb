# SPDX-License-Identifier: Apache-2.0
"""Run by test_distributed.py: the last rank fails in the given way in the middle of sums, and the others report their errors."""

import os
import signal
import sys

from distributed_case import NPU, RANK, RANKS, begin

import torch
import torch.distributed as dist

HOW = sys.argv[1]
WORD = "EI0005" if HOW in ("count", "dtype", "order") else "EI0002"

begin()
x = torch.ones(300_000, device=NPU)
for step in range(10):
    if step == 5 and RANK == RANKS - 1:
        if HOW == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif HOW == "exit":
            os._exit(0)
        elif HOW == "count":
            x = x[:1000].clone()
        elif HOW == "dtype":
            x = x.to(torch.int32)
    try:
        if step == 5 and RANK == RANKS - 1 and HOW == "order":
            dist.broadcast(x, 0)
        dist.all_reduce(x)
        torch.npu.synchronize()
    except RuntimeError as error:
        names_both = WORD in str(error) and "HcclAllReduce" in str(error)
        print(f"rank {RANK}: {error}", file=sys.stderr, flush=True)
        # Ends immediately, as failing scripts do: the rest of the group cannot be destroyed in order.
        os._exit(3 if names_both or HOW == "order" and WORD in str(error) else 4)
    if step >= 5:
        os._exit(5)  # an incomplete sum
