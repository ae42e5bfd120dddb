# SPDX-License-Identifier: Apache-2.0
"""A vision transformer as in timm: patches, a class token, pre-norm blocks, layer scale, AdamW with a warm-up."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 1e-3    # Adam's first steps follow the sign of a gradient: if one is only a rounding error, weights differ by steps of lr


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.scale * self.out(y)
        return x + self.scale * self.mlp(self.norms[1](x))


class Transformer(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 8, 8)
        self.token, self.positions = nn.Parameter(torch.zeros(1, 1, width)), nn.Parameter(torch.randn(1, 17, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(3)))
        self.head = nn.Linear(width, 10)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(len(x), -1, -1), x), 1) + self.positions
        return self.head(self.blocks(x)[:, 0])


def program(device):
    images, labels = torch.randn(16, 3, 32, 32).to(device), torch.randint(10, (16,)).to(device)
    model = Transformer().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.05)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=5)
    while True:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        warm_up.step()
        yield loss, *model.parameters()
