# SPDX-License-Identifier: Apache-2.0
"""A diffusion model as in diffusers: a U-net with group norm and an embedding of time learns to predict the added noise."""

import math

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-4    # Adam: see vit.py; its lr is smaller here


class Residual(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(8, inner), nn.SiLU(), nn.Conv2d(inner, outer, 3, padding=1))
        self.second = nn.Sequential(nn.GroupNorm(8, outer), nn.SiLU(), nn.Conv2d(outer, outer, 3, padding=1))
        self.time, self.skip = nn.Linear(64, outer), nn.Conv2d(inner, outer, 1)

    def forward(self, x, time):
        return self.second(self.first(x) + self.time(time)[:, :, None, None]) + self.skip(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.down, self.middle = nn.Conv2d(1, 32, 3, padding=1), Residual(32, 64), Residual(64, 64)
        self.up, self.out = Residual(96, 32), nn.Conv2d(32, 1, 3, padding=1)

    def forward(self, x, t):
        angles = t[:, None] * torch.exp(torch.arange(32, device=t.device) * (-math.log(10000) / 32))
        time = torch.cat((angles.sin(), angles.cos()), 1)
        top = self.into(x)
        x = self.middle(self.down(functional.avg_pool2d(top, 2), time), time)
        return self.out(self.up(torch.cat((functional.interpolate(x, scale_factor=2.0), top), 1), time))


def schedule(device):
    return torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000, dtype=torch.float64), 0).float().to(device)


def program(device):
    images, noise, model, kept = torch.rand(8, 1, 16, 16).to(device), torch.randn(8, 1, 16, 16).to(device), UNet().to(device), schedule(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    t = torch.randint(1000, (8,)).to(device)
    while True:
        a = kept[t][:, None, None, None]
        loss = functional.mse_loss(model(a.sqrt() * images + (1 - a).sqrt() * noise, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *model.parameters()
