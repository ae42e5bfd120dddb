# SPDX-License-Identifier: Apache-2.0
"""A segmentation network: dilated convolutions, bilinear enlargement, cross entropy with ignored pixels and a Dice loss."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; sums over 4096 pixels in another order


def program(device):
    images, masks = torch.rand(4, 3, 64, 64).to(device), torch.randint(-1, 4, (4, 64, 64)).to(device)
    encoder = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.InstanceNorm2d(32, affine=True), nn.LeakyReLU(0.1),
                            nn.Conv2d(32, 32, 3, padding=2, dilation=2), nn.ELU(), nn.AvgPool2d(2)).to(device)
    head = nn.Conv2d(32, 4, 1).to(device)
    optimizer = torch.optim.SGD([{"params": encoder.parameters(), "lr": 0.01}, {"params": head.parameters(), "lr": 0.05}])
    while True:
        logits = functional.interpolate(head(encoder(images)), size=(64, 64), mode="bilinear", align_corners=False)
        known = masks >= 0
        wanted = functional.one_hot(masks.clamp(min=0), 4).permute(0, 3, 1, 2) * known[:, None]
        chances = logits.softmax(1) * known[:, None]
        dice = 1 - (2 * (chances * wanted).sum((0, 2, 3)) + 1) / (chances.sum((0, 2, 3)) + wanted.sum((0, 2, 3)) + 1)
        loss = functional.cross_entropy(logits, masks, ignore_index=-1) + dice.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *encoder.parameters(), *head.parameters()
