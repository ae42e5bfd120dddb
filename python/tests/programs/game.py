# SPDX-License-Identifier: Apache-2.0
"""Reinforcement learning: Q values of the chosen actions, a target network that follows slowly, a ring buffer."""

import copy

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; small layers


def program(device):
    states, rewards = torch.randn(512, 8).to(device), torch.rand(512).to(device)
    actions, ended = torch.randint(4, (512,)).to(device), (torch.rand(512) < 0.1).to(device)
    network = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4)).to(device)
    target = copy.deepcopy(network).requires_grad_(False)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    generator, place = torch.Generator().manual_seed(2), 0
    while True:
        rows = torch.randint(511, (64,), generator=generator).to(device)
        with torch.no_grad():
            wanted = rewards[rows] + 0.99 * target(states[rows + 1]).max(1).values * (~ended[rows])
        loss = functional.smooth_l1_loss(network(states[rows]).gather(1, actions[rows, None]).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(target.parameters()), list(network.parameters()), 0.05)
            states[place % 512] = states[(place + 7) % 512] * 0.5
            place += 1
        if loss.item() > 100:
            break
        yield loss, *network.parameters(), *target.parameters()
