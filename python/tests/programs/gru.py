# SPDX-License-Identifier: Apache-2.0
"""Sentences of many lengths, packed, through a bidirectional GRU; attention over its outputs; weights with weight norm."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.parametrizations import weight_norm
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

TOLERANCE = 2e-5    # float32 over 24 steps in both directions


def program(device):
    tokens, labels = torch.randint(300, (16, 24)).to(device), torch.randint(2, (16, 1)).float().to(device)
    lengths = torch.randint(5, 25, (16,))
    words, layer, score = nn.Embedding(300, 32).to(device), nn.GRU(32, 48, bidirectional=True, batch_first=True).to(device), nn.Linear(96, 1).to(device)
    head = weight_norm(nn.Linear(96, 1)).to(device)
    parameters = [*words.parameters(), *layer.parameters(), *score.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)
    while True:
        packed, _ = layer(pack_padded_sequence(words(tokens), lengths, batch_first=True, enforce_sorted=False))
        out, kept = pad_packed_sequence(packed, batch_first=True)
        hidden = torch.arange(out.shape[1])[None] >= kept[:, None]
        weights = score(out).masked_fill(hidden[..., None].to(device), -1e9).softmax(1)
        loss = functional.binary_cross_entropy_with_logits(head((weights * out).sum(1)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, *parameters
