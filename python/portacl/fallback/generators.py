# SPDX-License-Identifier: Apache-2.0
"""Random numbers: an operator that runs on the CPU draws from a CPU generator.

Without a generator that is PyTorch's default one, which torch.manual_seed seeds, so the numbers are those of the CPU. The state of
a generator made for the npu is a seed and an offset; each draw is seeded from both and moves the offset on, so that saving and
restoring the state repeats the draws. The first draw after manual_seed is that of a CPU generator with this seed.
"""

import torch

_STEP = 4                     # offsets are multiples of 4
_GOLDEN = 0x9E3779B97F4A7C15  # 2^64 / golden ratio, odd: spreads consecutive offsets over all seeds


def on_cpu(generator):
    """A CPU generator for one draw in place of `generator`."""
    if generator.device.type == "cpu":
        return generator
    offset = generator.get_offset()
    generator.set_offset(offset + _STEP)
    return torch.Generator().manual_seed((generator.initial_seed() + offset * _GOLDEN) % 2**64)
