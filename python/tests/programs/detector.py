# SPDX-License-Identifier: Apache-2.0
"""A detector like YOLO: heads on two scales, decoded boxes, a loss on overlaps, objects found by index, and selection of boxes by score."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; overlaps are quotients of products of sums


def overlap(a, b):
    left, right = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    common = (right - left).clamp(min=0).prod(-1)
    area = lambda box: (box[..., 2:] - box[..., :2]).clamp(min=0).prod(-1)
    return common / (area(a) + area(b) - common + 1e-7)


def decode(raw, size):
    """(batch, 4 + classes, h, w) as boxes in pixels and the logits of classes, one row for each cell."""
    h, w = raw.shape[-2:]
    y, x = torch.meshgrid(torch.arange(h, device=raw.device), torch.arange(w, device=raw.device), indexing="ij")
    centres = (torch.stack((x, y), -1).view(-1, 2) + 0.5) * size / w
    rows = raw.flatten(2).transpose(1, 2)
    sides = functional.softplus(rows[..., :4]) * size / w
    return torch.cat((centres - sides[..., :2], centres + sides[..., 2:]), -1), rows[..., 4:]


def program(device):
    images = torch.rand(4, 3, 64, 64).to(device)
    corner = torch.rand(4, 6, 2) * 40
    targets, classes = torch.cat((corner, corner + 4 + torch.rand(4, 6, 2) * 18), -1).to(device), torch.randint(5, (4, 6)).to(device)
    body = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1), nn.SiLU(), nn.Conv2d(24, 48, 3, 2, 1), nn.BatchNorm2d(48), nn.SiLU()).to(device)
    deep = nn.Sequential(nn.Conv2d(48, 48, 3, 2, 1), nn.SiLU(), nn.Upsample(scale_factor=2), nn.Conv2d(48, 48, 1)).to(device)
    heads = nn.ModuleList([nn.Conv2d(48, 9, 1), nn.Conv2d(96, 9, 1)]).to(device)
    parameters = [*body.parameters(), *deep.parameters(), *heads.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=1e-3, momentum=0.937, nesterov=True)
    while True:
        optimizer.zero_grad()
        first = body(images)
        second = torch.cat((first, deep(first)), 1)
        boxes, logits = (torch.cat(parts, 1) for parts in zip(*(decode(head(x), 64) for head, x in zip(heads, (first, second)))))
        overlaps = overlap(boxes[:, :, None], targets[:, None])
        best = overlaps.argmax(1)                                   # the cell nearest to each object
        rows = torch.arange(4, device=device)[:, None].expand_as(best)
        wanted = torch.zeros_like(logits).index_put_((rows, best, classes), torch.ones((), device=device))
        loss = (1 - overlap(boxes[rows, best], targets)).mean() + functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum") / 24
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            scores = torch.topk(logits.sigmoid().amax(-1), 10).values
        yield loss, scores, *parameters
