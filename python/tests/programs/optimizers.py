# SPDX-License-Identifier: Apache-2.0
"""Every optimizer of PyTorch on the same small network, one step of each in turn, and one that was saved and loaded."""

import io

import torch
from torch import nn

TOLERANCE = 1e-3    # the sum of the effects described in vit.py and mobile.py, with a learning rate of 1e-3


def program(device):
    x, y = torch.randn(32, 10).to(device), torch.randn(32, 2).to(device)
    kinds = [torch.optim.SGD, torch.optim.ASGD, torch.optim.Adadelta, torch.optim.Adagrad, torch.optim.Adam, torch.optim.Adamax,
             torch.optim.AdamW, torch.optim.NAdam, torch.optim.RAdam, torch.optim.RMSprop, torch.optim.Rprop]
    models = [nn.Sequential(nn.Linear(10, 16), nn.ELU(), nn.Linear(16, 2)).to(device) for _ in kinds]
    optimizers = [kind(model.parameters(), lr=1e-3) for kind, model in zip(kinds, models)]
    while True:
        losses = []
        for model, optimizer in zip(models, optimizers):
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        file = io.BytesIO()
        torch.save(optimizers[4].state_dict(), file)
        file.seek(0)
        optimizers[4].load_state_dict(torch.load(file, map_location=device))
        yield torch.stack(losses).sum(), *(parameter for model in models for parameter in model.parameters())
