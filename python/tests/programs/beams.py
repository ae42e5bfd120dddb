# SPDX-License-Identifier: Apache-2.0
"""Beam search over a GPT with the rules of transformers: repetition penalty, forbidden repeats, the k best of all beams."""

import torch

from gpt import GPT

TOLERANCE = 5e-5    # float32; sums of log probabilities of eight words


@torch.inference_mode()
def program(device):
    model, prompt, beams = GPT().to(device).eval(), torch.randint(256, (1, 6)).to(device), 4
    while True:
        words, scores = prompt.expand(beams, -1), torch.tensor([0.0, -1e9, -1e9, -1e9]).to(device)
        for _ in range(8):
            logits = model(words)[:, -1]
            seen = logits.gather(1, words)
            logits = logits.scatter(1, words, torch.where(seen < 0, seen * 1.2, seen / 1.2))
            logits.scatter_(1, words[:, -1:], -float("inf"))
            total = scores[:, None] + logits.log_softmax(-1)
            scores, places = total.flatten().topk(beams)
            words = torch.cat((words[places // 256], (places % 256)[:, None]), 1)
        yield scores.max(), scores, words
