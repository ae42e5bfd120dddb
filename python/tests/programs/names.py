# SPDX-License-Identifier: Apache-2.0
"""The first tutorial on sequences: letters one by one through a hand-written RNN cell, with a manual weight update."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32 over ten steps


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(26 + 64, 64), nn.Linear(26 + 64, 18)

    def forward(self, letter, hidden):
        both = torch.cat((letter, hidden), 1)
        return self.outer(both).log_softmax(1), torch.tanh(self.inner(both))


def program(device):
    name, kind = functional.one_hot(torch.randint(26, (10, 1)), 26).float().to(device), torch.tensor([3]).to(device)
    cell = Cell().to(device)
    while True:
        hidden = torch.zeros(1, 64, device=device)
        for letter in name:
            scores, hidden = cell(letter, hidden)
        loss = functional.nll_loss(scores, kind)
        cell.zero_grad()
        loss.backward()
        with torch.no_grad():
            for parameter in cell.parameters():
                parameter.add_(parameter.grad, alpha=-0.005)
        yield loss, *cell.parameters()
