# SPDX-License-Identifier: Apache-2.0
"""aclnnCtcLoss and aclnnCtcLossBackward on batches whose samples are all as long as the batch.

`elements` counts the log-probabilities. They are no distributions, which changes no time. Labels come from all classes, and alphas
and losses from Portacl: most posteriors of others would be zero, which it need not compute.
"""
import functools
import math
import random

from native import PortaclContestant
from operator_table import DataSet, NamedShape, Operator


def log_probability(random, dtype):
    return random.uniform(-5, -1)


def peaked(random, dtype):
    """One class in five is likely; the others would be subnormals."""
    return random.choice((-0.01, -90, -95, -100, -105))


def nothing(random, dtype):
    """What complete() draws."""
    return 0


def gradient(random, dtype):
    return random.uniform(0.5, 2)


def batch(steps, samples, classes, labels):
    """Shapes of logProbs, targets, loss, alpha."""
    return [(steps, samples, classes), (samples, labels), (samples,), (samples, steps, 2 * labels + 1)]


def of_elements(elements):
    """Few classes in the caches, many in memory: the formula takes its time for each step."""
    if elements < 32 * 8 * 64:
        return batch(max(1, elements // 20), 1, min(elements, 20), 0)
    classes, samples, labels = (32, 8, 30) if elements < 1 << 20 else (4000, 32, 40)
    return batch(elements // (classes * samples), samples, classes, labels)


def backward_shapes(shapes):
    log_probs, targets, losses, alphas = shapes
    return [losses, log_probs, targets, losses, alphas, log_probs]


def complete(library, operands):
    log_probs, targets = operands[:2]
    targets.draw(lambda random, dtype: random.randint(1, max(1, log_probs.shape[2] - 1)), random.Random(1))


def complete_backward(library, operands):
    """Without its gradients and its output, the operands of a backward are those of a forward."""
    operands = operands[1:-1]
    complete(library, operands)
    forward = next(operator for operator in OPERATORS if operator.api == "aclnnCtcLoss")
    contestant = PortaclContestant(library, forward, operands, (0.0,))
    if contestant.time(1) < 0:
        raise RuntimeError("the loss failed")
    contestant.release()


# Of speech and handwriting recognizers: few classes are characters, many are pieces of words.
MODELS = (("T50 N16 C20 S10", (50, 16, 20, 10)), ("T150 N32 C29 S30", (150, 32, 29, 30)),
          ("T500 N16 C32 S100", (500, 16, 32, 100)), ("T200 N64 C1000 S40", (200, 64, 1000, 40)),
          ("T1000 N8 C5000 S150", (1000, 8, 5000, 150)), ("T1600 N4 C64 S400", (1600, 4, 64, 400)))


def named(order):
    def shapes_of(sizes, scale):
        steps, samples, classes, labels = sizes
        return order(batch(max(1, steps // scale), samples, classes, max(1, labels // scale)))
    return tuple(NamedShape(name, functools.partial(shapes_of, sizes), (0.0,), ("FLOAT",)) for name, sizes in MODELS)


def log_sum(a, b, c):
    most = max(a, b, c)
    return most if most == -math.inf else most + math.log(math.exp(a - most) + math.exp(b - most) + math.exp(c - most))


class Sample:
    """The recursions over the states of one sample, as they stand in the headers."""

    def __init__(self, log_probs, targets, number):
        self.steps, samples, classes = log_probs.shape
        labels = targets.shape[1]
        self.symbols = [int(targets(number * labels + i // 2)) if i % 2 else 0 for i in range(2 * labels + 1)]
        self.skips = [s > 1 and symbol != self.symbols[s - 2] for s, symbol in enumerate(self.symbols)]
        occurring = {*self.symbols}
        self.rows = [{c: log_probs((t * samples + number) * classes + c) for c in occurring} for t in range(self.steps)]

    def emit(self, t, sums):
        return [value + self.rows[t][symbol] for value, symbol in zip(sums, self.symbols)]

    def alphas(self):
        """One list of states a time step."""
        rows = [self.emit(0, [0.0 if s < 2 else -math.inf for s in range(len(self.symbols))])]
        for t in range(1, self.steps):
            last = [-math.inf, -math.inf, *rows[-1]]
            sums = [log_sum(last[s + 2], last[s + 1], last[s] if skips else -math.inf)
                    for s, skips in enumerate(self.skips)]
            rows.append(self.emit(t, sums))
        return rows

    def betas(self):
        states = len(self.symbols)
        rows = [self.emit(self.steps - 1, [0.0 if s >= states - 2 else -math.inf for s in range(states)])]
        skips = [*self.skips[2:], False, False]
        for t in range(self.steps - 2, -1, -1):
            last = [*rows[-1], -math.inf, -math.inf]
            rows.append(self.emit(t, [log_sum(last[s], last[s + 1], last[s + 2] if skips[s] else -math.inf)
                                      for s in range(states)]))
        return rows[::-1]


@functools.lru_cache(maxsize=1)
def alphas_of(log_probs, targets, number):
    return Sample(log_probs, targets, number).alphas()


@functools.lru_cache(maxsize=64)
def betas_of(log_probs, targets, number):
    sample = Sample(log_probs, targets, number)
    return sample, sample.betas()


def expected(inputs, attributes, i):
    log_probs, targets, _ = inputs
    row, s = divmod(i, 2 * targets.shape[1] + 1)
    number, t = divmod(row, log_probs.shape[0])
    return alphas_of(log_probs, targets, number)[t][s]


@functools.lru_cache(maxsize=64)
def occurring(targets, number):
    labels = targets.shape[1]
    return {0, *(int(targets(number * labels + j)) for j in range(labels))}


def expected_backward(inputs, attributes, i):
    grads, log_probs, targets, losses, alphas = inputs
    row, c = divmod(i, log_probs.shape[2])
    t, number = divmod(row, log_probs.shape[1])
    lp = log_probs(i)
    if c not in occurring(targets, number):
        return math.exp(lp) * grads(number)
    sample, betas = betas_of(log_probs, targets, number)
    states = len(sample.symbols)
    posterior = sum(math.exp(beta + alphas((number * sample.steps + t) * states + s) + losses(number) - lp)
                    for s, beta in enumerate(betas[t]) if sample.symbols[s] == c)
    return (math.exp(lp) - posterior) * grads(number)


def lengths(log_probs, targets):
    return [log_probs.shape[0]] * log_probs.shape[1], [targets.shape[1]] * targets.shape[0]


def forward_user(torch, operands, attributes):
    log_probs, targets, _, _ = operands
    targets, sizes = targets.long(), lengths(log_probs, targets)
    return lambda: torch._ctc_loss(log_probs, targets, *sizes, 0, False)[1]


def forward_python(torch, operands, attributes):
    log_probs, targets, losses, alphas = operands
    targets, sizes = targets.long(), lengths(log_probs, targets)
    return lambda: torch.ops.aten._ctc_loss.out(log_probs, targets, *sizes, 0, False, out0=losses, out1=alphas)[1]


def backward_user(torch, operands, attributes):
    grads, log_probs, targets, losses, alphas, _ = operands
    targets, sizes = targets.long(), lengths(log_probs, targets)
    return lambda: torch.ops.aten._ctc_loss_backward(grads, log_probs, targets, *sizes, losses, alphas, 0, False)


def backward_python(torch, operands, attributes):
    grads, log_probs, targets, losses, alphas, out = operands
    targets, sizes = targets.long(), lengths(log_probs, targets)
    return lambda: torch.ops.aten._ctc_loss_backward.out(grads, log_probs, targets, *sizes, losses, alphas, 0, False,
                                                         out=out)


def not_compiled(torch, operands, attributes):
    raise RuntimeError("torch.compile leaves this operator as it is")


# PyTorch's logarithms of thousands are off by that much in float32, and so are its gradients.
OPERATORS = [
    Operator(
        api="aclnnCtcLossBackward", plan="PlanCtcLossBackward", dtypes=("FLOAT",), reads=2, writes=1,
        data=[DataSet("uniform", (gradient, log_probability, nothing, nothing, nothing), (0.0,)),
              DataSet("peaked", (gradient, peaked, nothing, nothing, nothing), (0.0,))],
        absolute=1 << 19, complete=complete_backward, shapes=lambda elements: backward_shapes(of_elements(elements)),
        expected=expected_backward,
        torch_cpp="TorchCtcLossBackward", torch_python=backward_python, torch_user=backward_user,
        torch_compiled=not_compiled, named_shapes=named(backward_shapes)),
    Operator(
        api="aclnnCtcLoss", plan="PlanCtcLoss", dtypes=("FLOAT",), reads=1, writes=1,
        data=[DataSet("uniform", (log_probability, nothing, nothing), (0.0,)),
              DataSet("peaked", (peaked, nothing, nothing), (0.0,))],
        absolute=1 << 17, complete=complete, shapes=of_elements, expected=expected,
        torch_cpp="TorchCtcLoss", torch_python=forward_python, torch_user=forward_user, torch_compiled=not_compiled,
        named_shapes=named(lambda shapes: shapes)),
]
