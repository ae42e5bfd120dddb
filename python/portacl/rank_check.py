# SPDX-License-Identifier: Apache-2.0
"""One of the two ranks of python -m portacl --check: python -m portacl -m portacl.rank_check FILE RANK."""

import sys

import torch
import torch.distributed as dist


def main(meeting_file, rank):
    torch.npu.set_device(rank % torch.npu.device_count())
    dist.init_process_group("hccl", init_method=f"file://{meeting_file}", rank=rank, world_size=2)
    x = torch.arange(1000, dtype=torch.float32).npu() * (rank + 1)
    dist.all_reduce(x)
    dist.destroy_process_group()
    if not torch.equal(x.cpu(), torch.arange(1000, dtype=torch.float32) * 3):
        sys.exit("the sum of two ranks is wrong")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
