# SPDX-License-Identifier: Apache-2.0
"""aclnnScaledMaskedSoftmaxBackward and aclnnScaledMaskedSoftmax: with a mask of their own for every row, and in the shapes of
attention, where heads share one."""
import functools
import math

from operator_table import DataSet, NamedShape, Operator

COLUMNS = 512    # of rows whose number follows from a size
SCALE = 0.5      # exact in every dtype, so that PyTorch's product with it does not round
NO_SCALE = 1.0   # of calls that oneDNN has: with neither scale nor mask
HEADS = 16       # of attention, at most
LENGTHS = (7, 64, 128, 512, 1000, 2048, 4096)
NAMED_ELEMENTS = {"L2": 1 << 14, "L3": 1 << 19, "DRAM": 1 << 25}


def ordinary(random, dtype):
    return random.gauss(0, 1)


def peaked(random, dtype):
    """Scores so far apart that most exponentials would be subnormals."""
    return random.uniform(-150, 150)


def probability(random, dtype):
    return random.uniform(0, 2 / COLUMNS)


def small(random, dtype):
    """A row of a peaked softmax: a few elements, and nothing else."""
    return random.choice((0.0, 0.0, 0.0, random.uniform(0, 8 / COLUMNS)))


def nowhere(random, dtype):
    return 0


def half(random, dtype):
    return random.choice((0, 1))


def shape_of(elements):
    return (1, 1, max(1, elements // COLUMNS), min(elements, COLUMNS))


def shapes_grad(elements):
    return [shape_of(elements)] * 4


def shapes(elements):
    return [shape_of(elements)] * 3


def shapes_of_attention(elements, columns, operands):
    rows = max(1, elements // columns)
    heads = min(rows, HEADS)
    shapes = [(1, heads, rows // heads, columns)] * operands
    shapes[-2] = (1, 1, rows // heads, columns)    # the mask
    return shapes


def named_shapes(operands):
    return tuple(
        NamedShape(f"rows of {n}, {label}",
                   lambda scale, n=n, elements=elements: shapes_of_attention(elements // scale, n, operands), (NO_SCALE,))
        for n in LENGTHS for label, elements in NAMED_ELEMENTS.items())


def dtypes_grad(dtype):
    return (dtype, dtype, "BOOL", dtype)


def dtypes(dtype):
    return (dtype, "BOOL", dtype)


@functools.lru_cache(maxsize=1)
def row_of(operands, first, columns):
    """The elements of a row of every operand."""
    return [operand.run(first, columns) for operand in operands]


@functools.lru_cache(maxsize=1)
def product_of_row(grad, y, first, columns):
    return math.fsum(a * b for a, b in zip(*row_of((grad, y), first, columns)))


@functools.lru_cache(maxsize=1)
def scores_of_row(x, mask, scale, first, columns):
    """(scores, the largest, the sum of their exponentials)"""
    values = x.run(first, columns)
    masked = mask.run(first % mask.elements, columns)
    scores = [-10000.0 if m else value * scale for value, m in zip(values, masked)]
    most = max(scores)
    return scores, most, math.fsum(math.exp(score - most) for score in scores)


def expected_grad(inputs, attributes, i):
    grad, y, mask = inputs
    columns = grad.shape[-1]
    total = product_of_row(grad, y, i // columns * columns, columns)
    return 0.0 if mask(i % mask.elements) else (grad(i) * y(i) - total * y(i)) * attributes[0]


def expected(inputs, attributes, i):
    x, mask = inputs
    columns = x.shape[-1]
    scores, most, total = scores_of_row(x, mask, attributes[0], i // columns * columns, columns)
    return math.exp(scores[i % columns] - most) / total


def grad_python(torch, operands, attributes):
    grad, y, mask, out = operands
    backward, scale = torch.ops.aten._softmax_backward_data.out, attributes[0]

    def call():
        backward(grad, y, -1, grad.dtype, grad_input=out)
        return out.mul_(scale).masked_fill_(mask, 0)
    return call


def grad_user(torch, operands, attributes):
    """What autograd calls, allocating; the graph itself would save another y than the operand."""
    grad, y, mask, _ = operands
    backward, scale = torch.ops.aten._softmax_backward_data, attributes[0]
    return lambda: (backward(grad, y, -1, grad.dtype) * scale).masked_fill(mask, 0)


def grad_compiled(torch, operands, attributes):
    scale = attributes[0]

    def formula(grad, y, mask, out):
        g, p = grad.float(), y.float()
        total = (g * p).sum(-1, keepdim=True)
        return out.copy_(((g * p - total * p) * scale).masked_fill(mask, 0))
    call = torch.compile(formula, dynamic=False)
    return lambda: call(*operands)


def softmax(torch, x, mask, attributes):
    return torch.softmax((x * attributes[0]).masked_fill(mask, -10000.0), -1)


def forward_python(torch, operands, attributes):
    x, mask, out = operands
    scale, call_softmax = attributes[0], torch.ops.aten._softmax.out

    def call():
        torch.mul(x, scale, out=out)
        out.masked_fill_(mask, -10000.0)
        return call_softmax(out, -1, False, out=out)
    return call


def forward_user(torch, operands, attributes):
    x, mask, _ = operands
    return lambda: softmax(torch, x, mask, attributes)


def forward_compiled(torch, operands, attributes):
    call = torch.compile(lambda x, mask, out: out.copy_(softmax(torch, x, mask, attributes)), dynamic=False)
    return lambda: call(*operands)


# PyTorch rounds the gradient before it multiplies, and the gradient passes through zero: hence its absolute errors. A forward
# result in a narrow dtype is a part of one.
OPERATORS = [
    Operator(
        api="aclnnScaledMaskedSoftmaxBackward", plan="PlanScaledMaskedSoftmaxBackward",
        dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), reads=3, writes=1,
        data=[DataSet("uniform", (ordinary, probability, nowhere), (NO_SCALE,)),
              DataSet("masked", (ordinary, probability, half), (SCALE,)),
              DataSet("peaked", (ordinary, small, nowhere), (SCALE,))],
        absolute=0.25, shapes=shapes_grad, named_shapes=named_shapes(4), operand_dtypes=dtypes_grad,
        expected=expected_grad, torch_cpp="TorchScaledMaskedSoftmaxBackward", torch_python=grad_python,
        torch_user=grad_user, torch_compiled=grad_compiled, onednn="OnednnScaledMaskedSoftmaxBackward"),
    Operator(
        api="aclnnScaledMaskedSoftmax", plan="PlanScaledMaskedSoftmax", dtypes=("FLOAT", "FLOAT16", "BFLOAT16"),
        reads=2, writes=1,
        data=[DataSet("uniform", (ordinary, nowhere), (NO_SCALE,)),
              DataSet("masked", (ordinary, half), (SCALE,)),
              DataSet("peaked", (peaked, nowhere), (SCALE,))],
        absolute=0.25, shapes=shapes, named_shapes=named_shapes(3), operand_dtypes=dtypes, expected=expected,
        torch_cpp="TorchScaledMaskedSoftmax", torch_python=forward_python, torch_user=forward_user,
        torch_compiled=forward_compiled, onednn="OnednnScaledMaskedSoftmax"),
]
