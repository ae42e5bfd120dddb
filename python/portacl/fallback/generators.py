# SPDX-License-Identifier: Apache-2.0
"""Random numbers: an operator that runs on the CPU uses a CPU generator in place of an npu generator.

The state of an npu generator is a seed and an offset. Each call is seeded from both and advances the offset, so that saving and
restoring the state repeats the random numbers. The first call after manual_seed returns the same numbers as a CPU generator with
this seed. Operators without a generator argument use the CPU's default generator. It gets the seed of this call, and afterwards
its own state back, so that the CPU's own random sequence does not change. A thread that uses the CPU's generator at the same time
may get numbers of the npu.
"""

import contextlib

import torch

_STEP = 4                     # offsets are multiples of 4
_GOLDEN = 0x9E3779B97F4A7C15  # 2^64 / golden ratio, odd: distributes consecutive offsets over all seeds


def seed_of(seed, offset):
    """The seed for the CPU in place of an npu generator with this seed at this offset."""
    return (seed + offset * _GOLDEN) % 2**64


def _next(generator):
    offset = generator.get_offset()
    generator.set_offset(offset + _STEP)
    return generator.initial_seed(), offset


def _next_seed(generator):
    return seed_of(*_next(generator))


def draws(operator, args, kwargs):
    """Whether a call of an operator that may use random numbers does so: dropout without dropped elements does not."""
    arguments = operator._schema.arguments
    given = {argument.name: argument.default_value for argument in arguments}
    given |= dict(zip(given, args), **kwargs)
    return given.get("train") is not False and all(given.get(name) != 0 for name in ("dropout_p", "dropout"))


def next_draw():
    """Seed (as an int64) and offset of the current device's next random call; advances the offset."""
    seed, offset = _next(torch.npu.default_generators[torch.npu.current_device()])
    return seed - 2**64 if seed >= 2**63 else seed, offset


def on_cpu(generator):
    """A CPU generator that replaces `generator` for one call."""
    return generator if generator.device.type == "cpu" else torch.Generator().manual_seed(_next_seed(generator))


@contextlib.contextmanager
def default_of(device):
    """Replaces an npu's default generator by the CPU's for one call."""
    index = torch.npu.current_device() if device.index is None else device.index
    state = torch.default_generator.get_state()
    torch.default_generator.manual_seed(_next_seed(torch.npu.default_generators[index]))
    try:
        yield
    finally:
        torch.default_generator.set_state(state)
