# SPDX-License-Identifier: Apache-2.0
"""A network on a graph: messages along edges, combined by sum and maximum at their nodes; nodes selected by a mask."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; sums of messages in the order of the edges


def program(device):
    nodes, kinds, known = torch.randn(200, 16).to(device), torch.randint(4, (200,)).to(device), (torch.rand(200) < 0.5).to(device)
    start, end = torch.randint(200, (2, 1000)).to(device)
    layers = nn.ModuleList([nn.Linear(32, 32), nn.Linear(48, 32), nn.Linear(64, 32), nn.Linear(64, 4)]).to(device)
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)

    def passed(x, layer):
        messages = functional.relu(layer(torch.cat((x[start], x[end]), 1)))
        count = torch.bincount(end, minlength=200).clamp(min=1)
        mean = torch.zeros(200, 32, device=device).index_add(0, end, messages) / count[:, None]
        largest = torch.zeros(200, 32, device=device).scatter_reduce(0, end[:, None].expand(-1, 32), messages, "amax")
        return mean, largest

    while True:
        mean, largest = passed(nodes, layers[0])
        x = functional.relu(layers[1](torch.cat((nodes, mean), 1))) + largest
        mean, largest = passed(x, layers[2])
        logits = layers[3](torch.cat((mean, largest), 1))
        loss = functional.cross_entropy(logits[known], kinds[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *layers.parameters()
