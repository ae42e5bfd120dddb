# SPDX-License-Identifier: Apache-2.0
"""Recommendations: bags of items, a product of two towers, Adagrad, and the ten best items of each user."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 1e-4    # Adagrad divides the first gradient by its own size, and so magnifies the rounding error of a small one


def program(device):
    items, offsets = torch.randint(1000, (300,)).to(device), torch.arange(0, 300, 10).to(device)
    liked, answers = torch.randint(1000, (30,)).to(device), torch.randint(2, (30,)).float().to(device)
    history, catalogue = nn.EmbeddingBag(1000, 32, mode="mean").to(device), nn.Embedding(1000, 32).to(device)
    tower = nn.Sequential(nn.Linear(32, 64), nn.PReLU(), nn.Linear(64, 32)).to(device)
    parameters = [*history.parameters(), *catalogue.parameters(), *tower.parameters()]
    optimizer = torch.optim.Adagrad(parameters, lr=0.01, eps=1e-4)
    while True:
        users = functional.normalize(tower(history(items, offsets)), dim=1)
        loss = functional.binary_cross_entropy_with_logits((users * catalogue(liked)).sum(1), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            best = (users @ catalogue.weight.t()).topk(10).values
        yield loss, best, *parameters
