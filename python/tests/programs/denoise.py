# SPDX-License-Identifier: Apache-2.0
"""Samples from a diffusion model, without gradients: ten steps from noise to an image."""

import torch

from diffusion import UNet, schedule

TOLERANCE = 2e-4    # float32; each of ten steps divides by the square root of the remaining share


@torch.no_grad()
def program(device):
    model, kept, noise = UNet().to(device).eval(), schedule(device), torch.randn(4, 1, 16, 16).to(device)
    while True:
        x = noise
        for step in range(999, -1, -111):
            t = torch.full((4,), step, device=device)
            a, before = kept[step], kept[step - 111] if step >= 111 else torch.ones((), device=device)
            predicted = model(x, t)
            image = ((x - (1 - a).sqrt() * predicted) / a.sqrt()).clamp(-1, 1)
            x = before.sqrt() * image + (1 - before).sqrt() * predicted
        yield x.mean(), x
