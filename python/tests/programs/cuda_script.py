# SPDX-License-Identifier: Apache-2.0
"""A script that was written for CUDA, unchanged, under torch_npu.contrib.transfer_to_npu: on "npu" its "cuda" is the npu."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32


def program(device):
    if device != "cpu":
        from torch_npu.contrib import transfer_to_npu  # noqa: F401 (replaces names of torch)
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(20, 50), nn.ReLU(), nn.Linear(50, 5))
    x, y = torch.randn(40, 20), torch.randint(5, (40,))
    if device != "cpu":
        model, x, y = model.cuda(), x.cuda(non_blocking=True), y.to(device)
        assert torch.cuda.device_count() >= 1 and x.is_cuda
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    while True:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if device != "cpu":
            torch.cuda.synchronize()
        yield loss, *model.parameters()
