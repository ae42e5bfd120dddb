# SPDX-License-Identifier: Apache-2.0
"""A small GPT: causal attention, embedding and head with a shared weight, AdamW in two groups, clipped gradients."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 1e-3    # Adam: see vit.py


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm, self.second_norm = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x, past=None):
        """x with attention and MLP added; `past` holds keys and values of earlier tokens, and receives those of x."""
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.attend(self.norm(x)).chunk(3, -1))
        if past is not None:
            k, v = past[:] = [torch.cat(pair, 2) for pair in zip(past, (k, v))] if past else (k, v)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=q.shape[2] > 1)
        x = x + self.project(y.transpose(1, 2).flatten(2))
        return x + self.mlp(self.second_norm(x))


class GPT(nn.Module):
    def __init__(self, words=256, width=128, heads=4, blocks=3, length=128):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(blocks)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens, pasts=None, begin=0):
        x = self.words(tokens) + self.places(torch.arange(begin, begin + tokens.shape[1], device=tokens.device))
        for index, block in enumerate(self.blocks):
            x = block(x, pasts and pasts[index])
        return self.head(self.norm(x))


def program(device):
    tokens = torch.randint(256, (8, 65)).to(device)
    model = GPT().to(device)
    matrices, others = ([p for p in model.parameters() if (p.dim() > 1) == large] for large in (True, False))
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=3e-4)
    while True:
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield loss, *model.parameters()
