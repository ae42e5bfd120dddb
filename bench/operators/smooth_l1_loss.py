# SPDX-License-Identifier: Apache-2.0
"""aclnnSmoothL1LossBackward without a reduction, and aclnnSmoothL1Loss with the mean."""
from native import PATTERN
from operator_table import DataSet, Operator, smallest_normal

NONE, MEAN = 0.0, 1.0


def ordinary(random, dtype):
    return random.gauss(0, 1)


def far(random, dtype):
    """From a target that is ordinary: only the sign of the difference counts."""
    return random.choice((-1, 1)) * random.uniform(20, 40)


def tiny(random, dtype):
    """The difference to half_tiny stays normal, and so does its quotient by a beta of 1."""
    return smallest_normal(dtype) * random.uniform(8, 16)


def half_tiny(random, dtype):
    return smallest_normal(dtype) * random.uniform(1, 4)


def above_one(random, dtype):
    return random.uniform(1, 2)


def expected_grad(inputs, attributes, i):
    grad_out, d = inputs[0](i), inputs[1](i) - inputs[2](i)
    beta = attributes[1]
    return grad_out * (d / beta if abs(d) < beta else (d > 0) - (d < 0))


def expected(inputs, attributes, i):
    """The operands repeat themselves after PATTERN elements."""
    self, target = inputs
    beta, n = attributes[1], self.elements

    def total(count):
        losses = 0.0
        for k in range(count):
            d = abs(self(k) - target(k))
            losses += 0.5 * d * d / beta if d < beta else d - 0.5 * beta
        return losses
    if n <= PATTERN:
        return total(n) / n
    return (n // PATTERN * total(PATTERN) + total(n % PATTERN)) / n


def shapes(elements):
    return [(elements,), (elements,), ()]


REDUCTIONS = ("none", "mean", "sum")


def grad_python(torch, operands, attributes):
    grad_out, self, target, grad_input = operands
    call = torch.ops.aten.smooth_l1_loss_backward.grad_input
    reduction, beta = int(attributes[0]), attributes[1]
    return lambda: call(grad_out, self, target, reduction, beta, grad_input=grad_input)


def loss(torch, self, target, attributes):
    return torch.nn.functional.smooth_l1_loss(self, target, reduction=REDUCTIONS[int(attributes[0])],
                                              beta=attributes[1])


def grad_user(torch, operands, attributes):
    grad_out, self, target, _ = operands
    self = self.detach().requires_grad_()
    y = loss(torch, self, target, attributes)
    return lambda: torch.autograd.grad(y, self, grad_out, retain_graph=True)[0]


def grad_compiled(torch, operands, attributes):
    reduction, beta = int(attributes[0]), attributes[1]
    backward = torch.ops.aten.smooth_l1_loss_backward
    call = torch.compile(lambda g, s, t, out: out.copy_(backward(g, s, t, reduction, beta)), dynamic=False)
    return lambda: call(*operands)


def loss_python(torch, operands, attributes):
    """Given a preallocated result, the mean of PyTorch's operator would resize it."""
    self, target, result = operands
    losses = torch.empty_like(self)
    elementwise, mean, beta = torch.ops.aten.smooth_l1_loss.out, torch.mean, attributes[1]

    def call():
        elementwise(self, target, 0, beta, out=losses)
        return mean(losses, dim=(), out=result)
    return call


def loss_user(torch, operands, attributes):
    self, target, _ = operands
    return lambda: loss(torch, self, target, attributes)


def loss_compiled(torch, operands, attributes):
    call = torch.compile(lambda s, t, out: out.copy_(loss(torch, s, t, attributes)), dynamic=False)
    return lambda: call(*operands)


OPERATORS = [
    Operator(
        api="aclnnSmoothL1LossBackward", plan="PlanSmoothL1LossBackward", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"),
        reads=3, writes=1,
        data=[DataSet("uniform", (ordinary, ordinary, ordinary), (NONE, 1.0)),
              DataSet("peaked", (ordinary, far, ordinary), (NONE, 1.0)),
              DataSet("tiny", (above_one, tiny, half_tiny), (NONE, 1.0))],
        expected=expected_grad, torch_cpp="TorchSmoothL1LossBackward", torch_python=grad_python,
        torch_user=grad_user, torch_compiled=grad_compiled),
    Operator(
        api="aclnnSmoothL1Loss", plan="PlanSmoothL1Loss", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), reads=2, writes=0,
        data=[DataSet("uniform", (ordinary, ordinary), (MEAN, 1.0)),
              DataSet("peaked", (far, ordinary), (MEAN, 1.0))],
        shapes=shapes, expected=expected, torch_cpp="TorchSmoothL1Loss", torch_python=loss_python,
        torch_user=loss_user, torch_compiled=loss_compiled),
]
