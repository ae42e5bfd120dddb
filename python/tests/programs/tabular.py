# SPDX-License-Identifier: Apache-2.0
"""A small network on a table with categorical and numerical features; batches from a loader."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

TOLERANCE = 5e-3    # Adam: see autoencoder.py


def program(device):
    table = TensorDataset(torch.randint(12, (256, 3)), torch.randn(256, 10), torch.rand(256))
    embeddings = nn.ModuleList([nn.Embedding(12, 4) for _ in range(3)]).to(device)
    model = nn.Sequential(nn.Linear(22, 64, bias=False), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    parameters = [*embeddings.parameters(), *model.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-3, amsgrad=True)
    while True:
        for names, numbers, wanted in DataLoader(table, batch_size=64):
            names, numbers, wanted = names.to(device), numbers.to(device, non_blocking=True), wanted.to(device)
            x = torch.cat([*(embed(names[:, index]) for index, embed in enumerate(embeddings)), numbers], 1)
            loss = functional.l1_loss(model(x).squeeze(1), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss, *parameters
