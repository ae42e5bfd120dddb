# SPDX-License-Identifier: Apache-2.0
"""Low-rank adapters as in peft: the weights of a GPT are frozen, hooks add the trained part; at the end it is merged into the weights."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrize

from gpt import GPT

TOLERANCE = 1e-3    # Adam: see vit.py


class LowRank(nn.Module):
    def __init__(self, weight, rank=4):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(rank, weight.shape[1]) * 0.02), nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, weight):
        return weight + self.b @ self.a


def program(device):
    model, tokens = GPT(), torch.randint(256, (4, 33)).to(device)
    model.requires_grad_(False)
    for block in model.blocks:
        for layer in (block.attend, block.project):
            parametrize.register_parametrization(layer, "weight", LowRank(layer.weight))
    model = model.to(device)
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=3e-4)
    while True:
        loss = functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *learnt, model.blocks[0].attend.weight    # merged
