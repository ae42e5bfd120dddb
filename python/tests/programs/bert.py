# SPDX-License-Identifier: Apache-2.0
"""A masked language model on nn.TransformerEncoder with padded sentences; then the same without gradients, in eval mode."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 5e-4    # Adam: see vit.py; lr 5e-5


def program(device):
    tokens, lengths = torch.randint(1, 500, (8, 48)), torch.randint(20, 49, (8,))
    padding = torch.arange(48)[None] >= lengths[:, None]
    masked = (torch.rand(8, 48) < 0.15) & ~padding
    inputs, labels = tokens.masked_fill(masked, 0).to(device), tokens.masked_fill(~masked, -100).to(device)
    padding = padding.to(device)
    layer = nn.TransformerEncoderLayer(96, 4, 256, dropout=0.0, activation="gelu", batch_first=True)
    model = nn.ModuleDict({"words": nn.Embedding(500, 96, padding_idx=0), "encoder": nn.TransformerEncoder(layer, 2),
                           "head": nn.Linear(96, 500)}).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-5)

    def logits():
        return model["head"](model["encoder"](model["words"](inputs), src_key_padding_mask=padding))

    while True:
        model.train()
        optimizer.zero_grad()
        loss = functional.cross_entropy(logits().transpose(1, 2), labels)
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            chances = logits().softmax(-1)[~padding]
        yield loss, chances, *model.parameters()
