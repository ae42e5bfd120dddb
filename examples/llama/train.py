#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small language model on the riddles that Debian's package `fortunes` ships, and writes it for llama.cpp.

    python -m portacl examples/llama/train.py --device npu --into build/llama/riddles
    python examples/llama/train.py --device cpu --into build/llama/riddles

write riddles-f32.gguf, riddles-f16.gguf, riddles-q8_0.gguf and riddles-q4_0.gguf. Takes a few minutes on two cores.
"""

import argparse
import pathlib
import time

import torch
from torch.nn import functional

import model
import words

KINDS = ("F32", "F16", "Q8_0", "Q4_0")


def riddles(path):
    """The entries of a file of fortunes that are a question and an answer, each ended by a blank line."""
    entries = path.read_text(errors="ignore").split("\n%\n")
    return ["\n".join(line.replace("\t", " ").strip() for line in entry.strip().split("\n"))
            for entry in entries if entry.startswith("Q:") and "\nA:" in entry]


class Batches:
    """Draws random sections of the riddles, which are concatenated in a new random order each time."""

    def __init__(self, encoded, size, count, seed):
        self._encoded, self._size, self._count = encoded, size, count
        self._random = torch.Generator().manual_seed(seed)

    def next(self):
        """Tokens [count, context + 1]; each row begins at a riddle, so that positions are the same as in a prompt."""
        rows = []
        for _ in range(self._count):
            row = []
            while len(row) <= self._size.context:
                row += self._encoded[torch.randint(len(self._encoded), (1,), generator=self._random).item()]
            rows.append(row[: self._size.context + 1])
        return torch.tensor(rows)


def train(net, batches, steps, device):
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps, pct_start=0.1)
    began = time.monotonic()
    for step in range(1, steps + 1):
        tokens = batches.next().to(device)
        logits = net(tokens[:, :-1])
        loss = functional.cross_entropy(logits.reshape(-1, net.size.vocabulary), tokens[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step == 1 or step % 25 == 0 or step == steps:
            print(f"step {step:4}  loss {loss.item():.4f}  {time.monotonic() - began:.0f} s", flush=True)


def answer(net, tokens, question, device, most=80):
    """The answer of the model to `question` when it always takes the most probable token, up to the end mark."""
    numbers = tokens.encode(question)
    begin = len(numbers)
    with torch.no_grad():
        while len(numbers) < begin + most and numbers[-1] != words.END:
            numbers.append(net(torch.tensor([numbers], device=device))[0, -1].argmax().item())
    return tokens.decode(numbers[begin:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "npu"), default="npu")
    parser.add_argument("--text", type=pathlib.Path, default="/usr/share/games/fortunes/riddles")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=8, help="rows of a step")
    parser.add_argument("--tokens", type=int, default=1024, help="size of the vocabulary")
    parser.add_argument("--into", type=pathlib.Path, default="build/llama/riddles")
    parser.add_argument("--ask", default="Q: How many IBM CPU's does it take to do a logical right shift?\nA:")
    arguments = parser.parse_args()

    entries = riddles(arguments.text)
    tokens = words.Tokens.of_text("\n".join(entries), arguments.tokens)
    encoded = [tokens.encode(entry) + [words.END] for entry in entries]
    size = model.Size(vocabulary=len(tokens))
    torch.manual_seed(1)
    net = model.Model(size)
    count = sum(parameter.numel() for parameter in net.parameters())
    print(f"{len(entries)} riddles, {sum(map(len, encoded))} tokens of {len(tokens)}; {count} parameters on {arguments.device}")
    net.to(arguments.device)
    train(net, Batches(encoded, size, arguments.batch, seed=1), arguments.steps, arguments.device)
    print(arguments.ask + answer(net, tokens, arguments.ask, arguments.device))

    arguments.into.mkdir(parents=True, exist_ok=True)
    tensors = [(name if name.endswith(".weight") else name + ".weight", parameter.detach().cpu().numpy())
               for name, parameter in net.named_parameters()]
    for kind in KINDS:
        path = arguments.into / f"riddles-{kind.lower()}.gguf"
        model.write(path, size, tokens, tensors, kind)
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
