# SPDX-License-Identifier: Apache-2.0
"""Sequence to sequence with nn.Transformer: masks of three kinds, teacher forcing, the schedule of the original paper."""

import math

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 1e-3    # Adam: see vit.py


def program(device):
    source, target = torch.randint(1, 200, (6, 20)).to(device), torch.randint(1, 200, (6, 17)).to(device)
    words = nn.Embedding(200, 64).to(device)
    model = nn.Transformer(64, 4, 2, 2, 128, dropout=0.0, batch_first=True).to(device)
    head = nn.Linear(64, 200).to(device)
    angles = torch.arange(32)[:, None] * torch.exp(torch.arange(0, 64, 2) * (-math.log(10000) / 64))
    places = torch.stack((angles.sin(), angles.cos()), -1).flatten(1).to(device)
    parameters = [*words.parameters(), *model.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 64 ** -0.5 * min((step + 1) ** -0.5, (step + 1) * 4000 ** -1.5))
    mask = nn.Transformer.generate_square_subsequent_mask(16).to(device)
    embed = lambda tokens: words(tokens) * 8 + places[:tokens.shape[1]]
    while True:
        optimizer.zero_grad()
        out = model(embed(source), embed(target[:, :-1]), tgt_mask=mask, tgt_is_causal=True, src_key_padding_mask=source == 7)
        loss = functional.cross_entropy(head(out).flatten(0, 1), target[:, 1:].flatten(), label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss, *parameters
