# SPDX-License-Identifier: Apache-2.0
"""aclnnSwiGluGrad and aclnnSwiGlu: out = A * sigmoid(A) * B on the halves of x, and its gradient.

x has one axis, so that both halves are contiguous; `elements` counts the elements of one half. The named shapes are those of
the feed-forward layer of a language model of 7 billion weights, split along either axis.
"""
import math

from operator_table import DataSet, NamedShape, Operator, smallest_normal


def ordinary(random, dtype):
    return random.gauss(0, 1)


def peaked(random, dtype):
    """Gates that are open or shut."""
    return random.choice((-1, 1)) * random.uniform(6, 12)


def shut(random, dtype):
    """Every second gate is so far below zero that its sigmoid is less than a normal number, and most products with it are, too."""
    return random.choice((random.gauss(0, 1), -random.uniform(90, 200)))


def tiny(random, dtype):
    """The products with what is not tiny stay normal."""
    return smallest_normal(dtype) * random.uniform(8, 16)


def above_one(random, dtype):
    """Where outA has no zero: next to it results would be subnormals."""
    return random.uniform(1, 2)


def sigmoid(a):
    return 0.0 if a < -709.78 else 1 / (1 + math.exp(-a))


def shapes_grad(elements):
    return [(elements,), (2 * elements,), (2 * elements,)]


def shapes(elements):
    return [(2 * elements,), (elements,)]


def places(x, dim, i):
    """Where in x the two elements lie that belong to element i of a tensor of half its size."""
    run = math.prod(x.shape[int(dim):]) // 2
    block, rest = divmod(i, run)
    return 2 * block * run + rest, (2 * block + 1) * run + rest


def expected_grad(inputs, attributes, i):
    grad, x = inputs
    run = math.prod(x.shape[int(attributes[0]):]) // 2
    block, rest = divmod(i, 2 * run)
    of_half = block * run + rest % run
    a, b = places(x, attributes[0], of_half)
    q = sigmoid(x(a))
    return grad(of_half) * x(a) * q if rest >= run else grad(of_half) * x(b) * q * (1 + x(a) * (1 - q))


def expected(inputs, attributes, i):
    a, b = places(inputs[0], attributes[0], i)
    return inputs[0](a) * sigmoid(inputs[0](a)) * inputs[0](b)


def along_rows(scale):
    return (4096 // scale, 11008 // scale), (4096 // scale, 22016 // scale)


def along_columns(scale):
    return (2048 // scale, 22016 // scale), (4096 // scale, 22016 // scale)


def named_shapes(of_operands):
    """`of_operands`: (shape of a half, shape of x) -> shapes of the operands."""
    return (NamedShape("4096 x 22016, dim = -1", lambda scale: of_operands(*along_rows(scale)), (1.0,)),
            NamedShape("4096 x 22016, dim = 0", lambda scale: of_operands(*along_columns(scale)), (0.0,)))


def halves(tensor, attributes):
    return tensor.chunk(2, int(attributes[0]))


def swish(torch, x, attributes):
    a, b = halves(x, attributes)
    return torch.nn.functional.silu(a) * b


def gradient(torch, grad, x, attributes):
    a, b = halves(x, attributes)
    return torch.cat((torch.ops.aten.silu_backward(grad * b, a), torch.nn.functional.silu(a) * grad),
                     int(attributes[0]))


def grad_python(torch, operands, attributes):
    grad, x, out = operands
    (a, b), (out_a, out_b) = halves(x, attributes), halves(out, attributes)
    mul, silu, backward = torch.mul, torch.ops.aten.silu.out, torch.ops.aten.silu_backward.grad_input

    def call():
        mul(grad, b, out=out_b)
        backward(out_b, a, grad_input=out_a)
        silu(a, out=out_b)
        mul(out_b, grad, out=out_b)
        return out
    return call


def grad_user(torch, operands, attributes):
    grad, x, _ = operands
    x = x.detach().requires_grad_()
    y = swish(torch, x, attributes)
    return lambda: torch.autograd.grad(y, x, grad, retain_graph=True)[0]


def grad_compiled(torch, operands, attributes):
    call = torch.compile(lambda grad, x, out: out.copy_(gradient(torch, grad, x, attributes)), dynamic=False)
    return lambda: call(*operands)


def forward_python(torch, operands, attributes):
    x, out = operands
    a, b = halves(x, attributes)
    silu, mul = torch.ops.aten.silu.out, torch.mul

    def call():
        silu(a, out=out)
        return mul(out, b, out=out)
    return call


def forward_user(torch, operands, attributes):
    return lambda: swish(torch, operands[0], attributes)


def forward_compiled(torch, operands, attributes):
    call = torch.compile(lambda x, out: out.copy_(swish(torch, x, attributes)), dynamic=False)
    return lambda: call(*operands)


# PyTorch's composition rounds each step to the dtype, subtracts its sigmoid from 1, and outA passes through zero: hence the
# absolute errors.
OPERATORS = [
    Operator(
        api="aclnnSwiGluGrad", plan="PlanSwiGluGrad", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), reads=3, writes=2,
        data=[DataSet("uniform", (ordinary, ordinary), (0.0,)),
              DataSet("peaked", (ordinary, peaked), (0.0,)),
              DataSet("masked", (ordinary, shut), (0.0,)),
              DataSet("tiny", (tiny, above_one), (0.0,))],
        absolute=128, shapes=shapes_grad,
        named_shapes=named_shapes(lambda half, whole: [half, whole, whole]), expected=expected_grad, torch_cpp="TorchSwiGluGrad",
        torch_python=grad_python, torch_user=grad_user, torch_compiled=grad_compiled),
    Operator(
        api="aclnnSwiGlu", plan="PlanSwiGlu", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), reads=2, writes=1,
        data=[DataSet("uniform", (ordinary,), (0.0,)),
              DataSet("peaked", (peaked,), (0.0,)),
              DataSet("masked", (shut,), (0.0,))],
        absolute=16, shapes=shapes,
        named_shapes=named_shapes(lambda half, whole: [whole, half]), expected=expected, torch_cpp="TorchSwiGlu", torch_python=forward_python,
        torch_user=forward_user, torch_compiled=forward_compiled),
]
