# SPDX-License-Identifier: Apache-2.0
"""Gradients of four small batches added up, as accelerate does for a large one; hooks read them, and some layers are frozen at first."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; four gradients are added one after the other


def program(device):
    batches = [(torch.randn(16, 40).to(device), torch.randn(16, 1).to(device)) for _ in range(4)]
    model = nn.Sequential(nn.Linear(40, 128), nn.Tanh(), nn.Linear(128, 128), nn.Softplus(), nn.Linear(128, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    norm = torch.zeros((), device=device)

    def look(module, to_input, to_output):
        norm.copy_(to_output[0].norm())

    model[2].register_full_backward_hook(look)
    model[0].requires_grad_(False)
    while True:
        total = torch.zeros((), device=device)
        for x, y in batches:
            loss = functional.huber_loss(model(x), y) / len(batches)
            loss.backward()
            total += loss.detach()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
        model[0].requires_grad_(True)
        yield total, norm, *model.parameters()
