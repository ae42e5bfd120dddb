# SPDX-License-Identifier: Apache-2.0
"""aclnnLogitGrad and aclnnLogit: y = log(x / (1 - x)) and its gradient."""
import math

from operator_table import DataSet, Operator, smallest_normal


def probability(random, dtype):
    return random.uniform(0.01, 0.99)


def saturated(random, dtype):
    return 1 / (1 + math.exp(random.choice((-1, 1)) * random.uniform(2, 5)))


EPS = 2.0**-6    # with 1 - EPS a number of every dtype: PyTorch rounds both to the tensor's


def half_outside(random, dtype):
    """Outside, x is so large that the unselected quotient would be a subnormal."""
    return random.choice((random.uniform(0.02, 0.98), 6e4 if dtype == "FLOAT16" else 1e25))


def tiny(random, dtype):
    """Normal numbers, and the gradient stays normal: |dx| >= 4 |dy|. A subnormal would be the library's own making."""
    return smallest_normal(dtype) * random.uniform(1, 4)


def expected_grad(inputs, attributes, i):
    x, dy = inputs[0](i), inputs[1](i)
    eps = attributes[0]
    if eps >= 0 and not eps <= x <= 1 - eps:
        return 0.0
    return dy / (x * (1 - x))


def expected(inputs, attributes, i):
    x, eps = inputs[0](i), attributes[0]
    if eps >= 0:
        x = min(max(x, eps), 1 - eps)
    return math.log(x / (1 - x))


def torch_eps(attributes):
    return attributes[0] if attributes[0] >= 0 else None


def grad_python(torch, operands, attributes):
    x, dy, out = operands
    eps, call = torch_eps(attributes), torch.ops.aten.logit_backward.grad_input
    return lambda: call(dy, x, eps, grad_input=out)


def grad_user(torch, operands, attributes):
    x, dy, _ = operands
    x = x.detach().requires_grad_()
    y = torch.logit(x, torch_eps(attributes))
    return lambda: torch.autograd.grad(y, x, dy, retain_graph=True)[0]


def grad_compiled(torch, operands, attributes):
    eps = torch_eps(attributes)
    call = torch.compile(lambda x, dy, out: out.copy_(torch.ops.aten.logit_backward(dy, x, eps)), dynamic=False)
    return lambda: call(*operands)


def logit_python(torch, operands, attributes):
    x, out = operands
    eps, call = torch_eps(attributes), torch.logit
    return lambda: call(x, eps, out=out)


def logit_user(torch, operands, attributes):
    x, eps, call = operands[0], torch_eps(attributes), torch.logit
    return lambda: call(x, eps)


def logit_compiled(torch, operands, attributes):
    eps = torch_eps(attributes)
    call = torch.compile(lambda x, out: out.copy_(torch.logit(x, eps)), dynamic=False)
    return lambda: call(*operands)


OPERATORS = [
    Operator(
        api="aclnnLogitGrad", plan="PlanLogitGrad", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), reads=2, writes=1,
        data=[DataSet("uniform", (probability, lambda random, dtype: random.gauss(0, 1)), (-1.0,)),
              DataSet("peaked", (saturated, lambda random, dtype: random.gauss(0, 1)), (-1.0,)),
              DataSet("masked", (half_outside, lambda random, dtype: random.gauss(0, 1)), (EPS,)),
              DataSet("tiny", (probability, tiny), (-1.0,))],
        expected=expected_grad, torch_cpp="TorchLogitGrad", torch_python=grad_python, torch_user=grad_user,
        torch_compiled=grad_compiled),
    Operator(
        api="aclnnLogit", plan="PlanLogit", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), reads=1, writes=1,
        data=[DataSet("uniform", (probability,), (-1.0,)),
              DataSet("peaked", (saturated,), (-1.0,)),
              DataSet("masked", (half_outside,), (EPS,)),
              DataSet("tiny", (tiny,), (-1.0,))],
        # The logarithm passes through zero at 1/2, where only an absolute error is meaningful.
        absolute=4, expected=expected, torch_cpp="TorchLogit", torch_python=logit_python, torch_user=logit_user,
        torch_compiled=logit_compiled),
]
