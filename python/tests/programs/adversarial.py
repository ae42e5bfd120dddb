# SPDX-License-Identifier: Apache-2.0
"""A generative adversarial network: transposed convolutions, spectral norm, two optimizers that alternate."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.parametrizations import spectral_norm

# A bias before a batch normalisation has only rounding errors as gradient, but Adam still moves it by lr: 2 x 2e-4 in each of ten steps.
TOLERANCE = 4e-3


def program(device):
    real, noise = torch.randn(16, 1, 16, 16).to(device), torch.randn(16, 32, 1, 1).to(device)
    maker = nn.Sequential(nn.ConvTranspose2d(32, 64, 4), nn.BatchNorm2d(64), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(),
                          nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Tanh()).to(device)
    judge = nn.Sequential(spectral_norm(nn.Conv2d(1, 32, 4, 2, 1)), nn.LeakyReLU(0.2), spectral_norm(nn.Conv2d(32, 64, 4, 2, 1)),
                          nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(1024, 1)).to(device)
    makers, judges = (torch.optim.Adam(model.parameters(), lr=2e-4, betas=(0.5, 0.999)) for model in (maker, judge))
    while True:
        judges.zero_grad()
        made = maker(noise)
        loss = functional.softplus(-judge(real)).mean() + functional.softplus(judge(made.detach())).mean()
        loss.backward()
        judges.step()
        makers.zero_grad()
        functional.softplus(-judge(made)).mean().backward()
        makers.step()
        yield loss, *maker.parameters(), *judge.parameters()
