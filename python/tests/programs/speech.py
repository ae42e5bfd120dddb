# SPDX-License-Identifier: Apache-2.0
"""Speech to text: a mel spectrogram, convolutions over time, an LSTM and CTC; the best path is decoded."""

import torch
from torch import nn
from torch.nn import functional

TOLERANCE = 2e-5    # float32; logarithms of small powers


def program(device):
    sound, texts = torch.randn(4, 8000).to(device), torch.randint(1, 20, (4, 8)).to(device)
    window, mels = torch.hann_window(400).to(device), (torch.rand(201, 40) / 20).to(device)
    layers = nn.Sequential(nn.Conv1d(40, 64, 5, 2, 2), nn.ReLU(), nn.Conv1d(64, 64, 5, 1, 2), nn.ReLU()).to(device)
    memory, head = nn.LSTM(64, 64, bidirectional=True).to(device), nn.Linear(128, 20).to(device)
    parameters = [*layers.parameters(), *memory.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.01, momentum=0.9)
    while True:
        powers = torch.stft(sound, 400, 160, window=window, return_complex=True).abs().square()
        features = (powers.transpose(1, 2) @ mels).clamp(min=1e-6).log()
        features = (features - features.mean(1, keepdim=True)) / (features.std(1, keepdim=True) + 1e-5)
        out = memory(layers(features.transpose(1, 2)).permute(2, 0, 1))[0]
        scores = head(out).log_softmax(-1)
        loss = functional.ctc_loss(scores, texts, (len(scores),) * 4, (8,) * 4, zero_infinity=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = torch.unique_consecutive(scores.argmax(-1)[:, 0])
        yield loss, torch.as_tensor(len(best)).to(device), *parameters
