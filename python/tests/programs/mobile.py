# SPDX-License-Identifier: Apache-2.0
"""A network for phones as in timm: convolutions of single channels, squeeze and excitation, RMSprop, a moving average of the weights."""

import torch
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

TOLERANCE = 2e-4    # RMSprop divides a gradient by its size: near 0, its rounding error matters


class Separable(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(inner, 4 * inner, 1), nn.BatchNorm2d(4 * inner), nn.Hardswish())
        self.each = nn.Sequential(nn.Conv2d(4 * inner, 4 * inner, 3, stride, 1, groups=4 * inner), nn.BatchNorm2d(4 * inner), nn.SiLU())
        self.excite = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(4 * inner, inner, 1), nn.ReLU(), nn.Conv2d(inner, 4 * inner, 1),
                                    nn.Hardsigmoid())
        self.project = nn.Conv2d(4 * inner, outer, 1)

    def forward(self, x):
        y = self.each(self.expand(x))
        return self.project(y * self.excite(y))


def program(device):
    images, labels = torch.randn(16, 3, 32, 32, device="cpu").to(device), torch.randint(10, (16,)).to(device)
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), Separable(16, 24, 2), Separable(24, 32, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(32, 10)).to(device)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9, eps=1e-3)
    while True:
        model.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        average.update_parameters(model)
        yield loss, *average.parameters()
