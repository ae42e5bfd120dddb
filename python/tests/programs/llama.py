# SPDX-License-Identifier: Apache-2.0
"""A model like Llama: RMS norm, rotary embedding, grouped heads, SwiGLU, each block recomputed in the backward pass."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

TOLERANCE = 1e-3    # Adam: see vit.py


def rotated(x, cos, sin):
    left, right = x.chunk(2, -1)
    return x * cos + torch.cat((-right, left), -1) * sin


class Block(nn.Module):
    def __init__(self, width=128, heads=8, groups=2):
        super().__init__()
        self.side = width // heads
        self.q, self.kv = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * groups * self.side, bias=False)
        self.o, self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((width, width), (width, 344), (width, 344), (344, width)))
        self.norms = nn.ModuleList([nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)])

    def forward(self, x, cos, sin):
        y = self.norms[0](x)
        q, k, v = (part.unflatten(-1, (-1, self.side)).transpose(1, 2) for part in (self.q(y), *self.kv(y).chunk(2, -1)))
        y = functional.scaled_dot_product_attention(rotated(q, cos, sin), rotated(k, cos, sin), v, is_causal=True, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        y = self.norms[1](x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


def program(device):
    tokens = torch.randint(320, (4, 49)).to(device)
    words, blocks = nn.Embedding(320, 128).to(device), nn.ModuleList([Block() for _ in range(2)]).to(device)
    norm, head = nn.RMSNorm(128).to(device), nn.Linear(128, 320, bias=False).to(device)
    angles = torch.outer(torch.arange(48.0), 10000 ** -(torch.arange(0, 16, 2) / 16)).repeat(1, 2)
    cos, sin = angles.cos().to(device), angles.sin().to(device)
    parameters = [*words.parameters(), *blocks.parameters(), *norm.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=3e-4, betas=(0.9, 0.95))
    while True:
        x = words(tokens[:, :-1])
        for block in blocks:
            x = checkpoint(block, x, cos, sin, use_reentrant=False)
        loss = functional.cross_entropy(head(norm(x)).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *parameters
