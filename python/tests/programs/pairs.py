# SPDX-License-Identifier: Apache-2.0
"""Two towers that learn pairs, like CLIP: normalised embeddings, a learnt temperature, a loss in both directions; also triplets."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 5e-4    # Adam: see vit.py; lr 5e-5


def program(device):
    images, texts = torch.randn(32, 3, 16, 16).to(device), torch.randint(200, (32, 12)).to(device)
    eye = nn.Sequential(nn.Conv2d(3, 32, 4, 4), nn.GELU(), nn.Flatten(), nn.Linear(512, 64)).to(device)
    reader = nn.ModuleList([nn.Embedding(200, 64), nn.MultiheadAttention(64, 4, batch_first=True)]).to(device)
    temperature = nn.Parameter(torch.tensor(2.0).to(device))
    parameters = [*eye.parameters(), *reader.parameters(), temperature]
    optimizer = torch.optim.NAdam(parameters, lr=5e-5)
    while True:
        seen = functional.normalize(eye(images), dim=-1)
        words = reader[0](texts)
        read = functional.normalize(reader[1](words, words, words, need_weights=False)[0].mean(1), dim=-1)
        scores, names = temperature.exp() * seen @ read.t(), torch.arange(32, device=device)
        loss = (functional.cross_entropy(scores, names) + functional.cross_entropy(scores.t(), names)) / 2
        loss = loss + functional.triplet_margin_loss(seen, read, read.roll(1, 0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *parameters
