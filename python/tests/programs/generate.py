# SPDX-License-Identifier: Apache-2.0
"""Text from a GPT, word by word, as generate() of transformers does: keys and values of earlier words are cached."""

import torch

from gpt import GPT

TOLERANCE = 2e-5    # float32 through three blocks; the words must be the same


@torch.inference_mode()
def program(device):
    model, prompt = GPT().to(device).eval(), torch.randint(256, (2, 8)).to(device)
    while True:
        pasts = [[] for _ in model.blocks]
        logits, words = model(prompt, pasts)[:, -1], prompt
        for length in range(8, 24):
            chosen = logits.argmax(-1, keepdim=True)
            words = torch.cat((words, chosen), 1)
            logits = model(chosen, pasts, length)[:, -1]
        yield logits.logsumexp(-1).mean(), logits, words
