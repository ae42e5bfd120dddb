# SPDX-License-Identifier: Apache-2.0
"""A language model on a two-layer LSTM whose state is carried from batch to batch."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; the state is detached after 32 steps


def program(device):
    tokens = torch.randint(100, (8, 33)).to(device)
    words, layers, head = nn.Embedding(100, 64).to(device), nn.LSTM(64, 128, 2, batch_first=True).to(device), nn.Linear(128, 100).to(device)
    parameters = [*words.parameters(), *layers.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.5)
    state = None
    while True:
        out, state = layers(words(tokens[:, :-1]), state)
        state = tuple(part.detach() for part in state)
        loss = functional.cross_entropy(head(out).transpose(1, 2), tokens[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 0.25)
        optimizer.step()
        yield loss, *state, *parameters
