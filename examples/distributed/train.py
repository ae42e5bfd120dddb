#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a network that tells handwritten digits apart, on as many ranks as torchrun starts: a script as for cards.

    torchrun --nproc-per-node=4 train.py --way ddp
    torchrun --nproc-per-node=4 train.py --way fsdp2

All ranks together take the same batches whatever their number, so the losses are the same. The first rank writes them to --losses as JSON.
"""

import argparse
import json
import os
import pathlib

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "digits"
TRAINING = 1400  # images for training; the others were written by other persons
BATCH = 64  # images of all ranks together, a multiple of the number of ranks


def digits():
    images = torch.from_numpy(np.load(DATA / "digits.npy").astype(np.float32) / 16).flatten(1)
    labels = torch.from_numpy(np.load(DATA / "labels.npy").astype(np.int64))
    return (images[:TRAINING], labels[:TRAINING]), (images[TRAINING:], labels[TRAINING:])


def network(way, device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 10)).to(device)
    if way == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    from torch.distributed.fsdp import fully_shard

    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer)
    return fully_shard(model)


def of_all(value):
    """The mean over the ranks."""
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def train(model, training, epochs, device):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    images, labels = training
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, foreach=False)
    order = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(epochs):
        for batch in torch.randperm(TRAINING, generator=order).split(BATCH)[: TRAINING // BATCH]:
            mine = batch.chunk(ranks)[rank]
            loss = F.cross_entropy(model(images[mine].to(device)), labels[mine].to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(of_all(loss.detach()))
    return losses


def accuracy(model, test, device):
    images, labels = test
    with torch.no_grad():
        return (model(images.to(device)).argmax(1).cpu() == labels).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=("ddp", "fsdp2"), default="ddp")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--losses", type=pathlib.Path, help="a file for the loss of each step")
    arguments = parser.parse_args()

    device = torch.device("npu", int(os.environ["LOCAL_RANK"]))
    torch.npu.set_device(device)
    dist.init_process_group("hccl")
    training, test = digits()
    model = network(arguments.way, device)
    losses = train(model, training, arguments.epochs, device)
    right = accuracy(model, test, device)
    if dist.get_rank() == 0:
        print(f"{arguments.way}, {dist.get_world_size()} rank(s): loss {losses[0]:.6f} at first, {losses[-1]:.6f} at last; {right:.1%} of the test right")
        if arguments.losses:
            arguments.losses.write_text(json.dumps(losses), encoding="ascii")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
