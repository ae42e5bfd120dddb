# SPDX-License-Identifier: Apache-2.0
"""A residual network as in torchvision: blocks with shortcuts, Nesterov's momentum, a cosine schedule, weights in channels-last format."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 1e-4    # float32; eight batch normalisations one after the other


class Block(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.first, self.second = nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outer), nn.BatchNorm2d(outer)])
        self.shortcut = nn.Conv2d(inner, outer, 1, stride, bias=False) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = functional.relu(self.norms[0](self.first(x)), inplace=True)
        return functional.relu(self.norms[1](self.second(y)) + self.shortcut(x))


def program(device):
    images, labels = torch.randn(16, 3, 48, 48).to(device), torch.randint(100, (16,)).to(device)
    model = nn.Sequential(nn.Conv2d(3, 32, 7, 2, 3), nn.MaxPool2d(3, 2, 1), Block(32, 32, 1), Block(32, 64, 2), Block(64, 128, 2),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100)).to(device)
    model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
    while True:
        loss = functional.cross_entropy(model(images.contiguous(memory_format=torch.channels_last)), labels, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss, *model.parameters()
