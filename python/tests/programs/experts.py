# SPDX-License-Identifier: Apache-2.0
"""A mixture of experts as in transformers: each word goes to the best two of eight, found by index; a loss keeps them balanced."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; the choice of experts is the same, as no two scores are close


def program(device):
    x, wanted = torch.randn(256, 64).to(device), torch.randn(256, 64).to(device)
    gate = nn.Linear(64, 8, bias=False).to(device)
    experts = nn.ModuleList([nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 64)) for _ in range(8)]).to(device)
    parameters = [*gate.parameters(), *experts.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.05)
    while True:
        optimizer.zero_grad()
        chances = gate(x).softmax(-1)
        weights, chosen = chances.topk(2)
        weights = weights / weights.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for index, expert in enumerate(experts):
            rows, places = torch.where(chosen == index)
            out.index_add_(0, rows, expert(x[rows]) * weights[rows, places, None])
        shares = torch.histc(chosen.float() if device == "cpu" else chosen.int(), bins=8, min=0, max=7) / chosen.numel()
        loss = functional.mse_loss(out, wanted) + 0.01 * 8 * (shares * chances.mean(0)).sum()
        loss.backward()
        optimizer.step()
        yield loss, shares, *parameters
