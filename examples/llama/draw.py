#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the weights of a model that says nothing but has the shape of a real one, to measure how fast it is.

    draw.py --into build/llama/drawn --kind F16           about half a billion parameters
"""

import argparse
import pathlib

import numpy as np

import model
import words

SIZES = {
    "small": model.Size(vocabulary=2048, context=2048, embedding=512, blocks=6, feed_forward=1536, heads=8, key_heads=4),
    "half": model.Size(vocabulary=32000, context=2048, embedding=1024, blocks=24, feed_forward=4096, heads=16, key_heads=8),
    "one": model.Size(vocabulary=32000, context=2048, embedding=2048, blocks=16, feed_forward=8192, heads=32, key_heads=8),
}


def drawn(size):
    random = np.random.default_rng(1)
    for name, shape in model.tensor_shapes(size).items():
        name = name if name.endswith(".weight") else name + ".weight"
        if len(shape) == 1:
            yield name, np.ones(shape, np.float32)
        else:
            values = random.standard_normal(shape, np.float32)
            values *= shape[1] ** -0.5
            yield name, values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="half")
    parser.add_argument("--kind", choices=("F32", "F16", "Q8_0", "Q4_0"), default="F16")
    parser.add_argument("--into", type=pathlib.Path, default="build/llama/drawn")
    arguments = parser.parse_args()
    size = SIZES[arguments.size]
    tokens = words.Tokens([f"{words.SPACE}{index}" for index in range(size.vocabulary - words.FIRST_PIECE)])
    arguments.into.mkdir(parents=True, exist_ok=True)
    path = arguments.into / f"{arguments.size}-{arguments.kind.lower()}.gguf"
    model.write(path, size, tokens, drawn(size), arguments.kind)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
