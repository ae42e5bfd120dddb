# SPDX-License-Identifier: Apache-2.0
"""A variational autoencoder: the noise comes from a CPU generator, as in scripts that must be repeatable."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 5e-3    # Adam with lr 1e-3: if a gradient is only a rounding error, a weight differs by steps of lr


def program(device):
    x, generator = torch.rand(64, 784).to(device), torch.Generator().manual_seed(1)
    encoder = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 32)).to(device)
    decoder = nn.Sequential(nn.Linear(16, 256), nn.ReLU(), nn.Linear(256, 784), nn.Sigmoid()).to(device)
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
    while True:
        mean, log_variance = encoder(x).chunk(2, 1)
        z = mean + (log_variance / 2).exp() * torch.randn(64, 16, generator=generator).to(device)
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        loss = (functional.binary_cross_entropy(decoder(z), x, reduction="sum") + divergence) / len(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *encoder.parameters(), *decoder.parameters()
