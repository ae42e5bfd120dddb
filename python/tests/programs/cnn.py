# SPDX-License-Identifier: Apache-2.0
"""A convolutional image classifier, as in introductory tutorials: SGD with momentum and a learning-rate schedule."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 1e-4    # float32; batch statistics divide by variances of small batches, which doubles the error layer by layer


def program(device):
    images, labels = torch.randn(32, 3, 32, 32).to(device), torch.randint(10, (32,)).to(device)
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 64, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    while True:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss, *model.state_dict().values()
