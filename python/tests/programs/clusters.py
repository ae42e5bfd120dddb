# SPDX-License-Identifier: Apache-2.0
"""Tensors without a network: k-means, then the principal axes of its centres, as in notebooks."""

import torch

TOLERANCE = 2e-5    # float32; means of hundreds of points


def program(device):
    points = (torch.randn(2000, 8) + 4 * torch.randint(3, (2000, 1))).to(device)
    centres = points[:6].clone()
    while True:
        distances = torch.cdist(points, centres)
        nearest, names = distances.min(1)
        sums = torch.zeros_like(centres).index_add_(0, names, points)
        centres = sums / torch.bincount(names, minlength=6).clamp(min=1)[:, None]
        singular = torch.linalg.svdvals(centres - centres.mean(0))
        order = torch.argsort(nearest, descending=True)[:20]
        yield nearest.mean(), centres, singular, torch.quantile(nearest, 0.9), nearest[order], torch.histc(nearest, 10)
