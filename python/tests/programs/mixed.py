# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: autocast to bfloat16 and a gradient scaler, which skips a step whose gradients overflow."""

import torch
from torch import nn
from torch.nn import functional

# bfloat16 has 8 bits, so that products differ by 2^-9 of their size if sums are rounded at other points; weights differ by lr times that.
TOLERANCE = 1e-2


def program(device):
    x, y = torch.randn(32, 64).to(device), torch.randint(10, (32,)).to(device)
    model = nn.Sequential(nn.Linear(64, 256), nn.LayerNorm(256), nn.GELU(), nn.Linear(256, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler(device, init_scale=1024.0, growth_interval=3)
    while True:
        with torch.autocast(device_type=device, dtype=torch.bfloat16):
            loss = functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        yield loss, torch.tensor(scaler.get_scale()).to(device), *model.parameters()
