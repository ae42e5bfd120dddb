# SPDX-License-Identifier: Apache-2.0
"""Rows that read and write where indices and masks say, that select elements by their order, and that draw random numbers."""
import torch

from row import COLUMNS, Operand, add, attributes, formula, given, into, matrix

WHOLE = {"dtypes": ("FLOAT",)}    # results of INT64, from no operand of another dtype


def numbers(*shape):
    """An output of INT64."""
    return torch.empty(*shape, dtype=torch.int64)


def dense(share):
    """Values of which this share is not 0."""
    return lambda n: torch.where(torch.rand(n) < share, torch.randn(n), 0.0)


def chosen(share):
    return lambda n: torch.rand(n) < share


def put(adds):
    return lambda o, x, y, *places: x.index_put_(places, y, accumulate=adds)


def places(*limits):
    """Numbers below each of the limits, as many as the first operand has elements; they follow the operands. 0: all elements or rows."""
    def complete(x, *_):
        torch.manual_seed(1)
        return tuple(torch.randint(min(limit, x.numel()) or (len(x) if len(limits) > 1 else x.numel()), (x.numel(),)) for limit in limits)
    return complete


def sums(x, y, *indices):
    """The terms of sums at places that indices name."""
    return x.abs().index_put_(indices, y.abs(), accumulate=True)


def advanced():
    """Lists of indices: rows, tokens of a vocabulary, a grid of two axes, elements; and masks."""
    rows, flats = {"shape": matrix}, ("normal", "normal")
    index, both = Operand("index"), (Operand("normal", matrix), "normal")
    tokens, words = Operand("normal", given(32000, 1024)), Operand(lambda n: torch.randint(32000, (n,)), given(2048))
    column = Operand(lambda n: torch.randint(COLUMNS, (n,)), given(256))
    of_elements, of_pairs, of_few = ({"completed": places(*limits)} for limits in ((0,), (0, COLUMNS), (COLUMNS,)))

    def of_list(o, x, *indices):
        return torch.ops.aten.index.Tensor_out(x, list(indices), out=o)
    add("index", "Index", ("normal", index), lambda x, i: (x, [i]), of_list, label="rows", **rows)
    add("index", "Index", (tokens, words), lambda x, i: (x, [i]), of_list, label="tokens")
    add("index", "Index", (Operand("normal", matrix), index, column), lambda x, i, j: (x, [i[:, None], j]),
        lambda o, x, i, j: of_list(o, x, i[:, None], j), label="grid")
    add("index", "Index", ("normal",), lambda x, i: (x, [i]), of_list, label="elements", **of_elements)
    add("index", "Index", ("normal",), lambda x, i, j: (x, [i, j]), of_list, label="pairs", **rows, **of_pairs)
    add("index", "Index", ("normal", "mask"), lambda x, m: (x, [m], {"out": x.new_empty(int(m.sum()))}), of_list, label="mask")
    add("index", "IndexPutImpl", ("normal", "mask", Operand("normal", given(1))), lambda x, m, y: (x, [m], y, False, False),
        lambda o, x, m, y: x.index_put_((m,), y), label="mask")
    for adds, more in ((False, ""), (True, ", added")):
        def ours(x, y, *indices, a=adds):
            return x, list(indices), y, a, False
        call, terms = put(adds), {"terms": sums} if adds else {}
        add("index", "IndexPutImpl", ("normal", "normal", index), ours, call, label="rows" + more, **rows, **terms)
        add("index", "IndexPutImpl", (tokens, Operand("normal", given(2048, 1024)), words), ours, call, label="tokens" + more, **terms)
        add("index", "IndexPutImpl", flats, ours, call, label="elements" + more, **of_elements, **terms)
        add("index", "IndexPutImpl", both, ours, call, label="pairs" + more, **of_pairs, **terms)
        add("index", "IndexPutImpl", flats, ours, call, label="few elements" + more, **of_few, **terms)
        add("index", "InplacePut", flats, lambda x, y, i, a=adds: (x, i, y, a), lambda o, x, y, i, a=adds: x.put_(i, y, a), label=more[2:],
            **of_elements, **terms)


def masks():
    """Of few elements, of half, and of all."""
    for share in (0.01, 0.5, 1):
        label = f"{share:.0%}"
        add("index", "Nonzero", (Operand(dense(share)),), attributes(), lambda o, x: torch.nonzero(x), label=label)
        add("index", "Nonzero", (Operand(dense(share), matrix),), attributes(), lambda o, x: torch.nonzero(x), label=label + ", two axes")
        add("index", "MaskedSelect", ("normal", Operand(chosen(share))), attributes(), lambda o, x, m: torch.masked_select(x, m), label=label)
        add("index", "InplaceMaskedScatter", ("normal", Operand(chosen(share)), "normal"), attributes(), lambda o, x, m, y: x.masked_scatter_(m, y),
            label=label)


def indexing():
    rows, two = {"shape": matrix}, ("normal", "normal")
    index = Operand("index")
    add("index", "GatherV2", ("normal", index), lambda x, i: (x, 0, i), lambda o, x, i: torch.index_select(x, 0, i, out=o), **rows)
    add("index", "IndexSelect", ("normal", index), lambda x, i: (x, 0, i), lambda o, x, i: torch.index_select(x, 0, i, out=o), **rows)
    add("index", "Embedding", ("normal", index), attributes(), lambda o, x, i: torch.embedding(x, i), **rows)
    add("index", "IndexCopy", ("normal", index, "normal"), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: torch.index_copy(x, 0, i, y, out=o), **rows)
    add("index", "InplaceIndexCopy", ("normal", index, "normal"), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: x.index_copy_(0, i, y), **rows)
    add("index", "InplaceIndexFillTensor", ("normal",), attributes(1, [1, 7, 500], 0.5),
        lambda o, x: x.index_fill_(1, torch.tensor([1, 7, 500]), 0.5), **rows)
    element = Operand(lambda n: torch.randint(COLUMNS, (n,)), matrix)
    add("index", "Gather", ("normal", element), lambda x, i: (x, 1, i), lambda o, x, i: torch.gather(x, 1, i, out=o), **rows)
    add("index", "Scatter", (*two, element), lambda x, y, i: (x, 1, i, y, 0), lambda o, x, y, i: torch.scatter(x, 1, i, y, out=o), **rows)
    add("index", "ScatterAdd", (*two, element), lambda x, y, i: (x, 1, i, y), lambda o, x, y, i: torch.scatter_add(x, 1, i, y, out=o),
        terms=lambda x, y, i: torch.scatter_add(x.abs(), 1, i, y.abs()), **rows)
    add("index", "IndexAdd", ("normal", index, "normal"), lambda x, i, y: (x, 0, i, y, 1.0), lambda o, x, i, y: torch.index_add(x, 0, i, y, out=o),
        terms=lambda x, i, y: torch.index_add(x.abs(), 0, i, y.abs()), **rows)
    add("index", "Take", ("normal", element), attributes(), lambda o, x, i: torch.take(x, i, out=o), **rows)
    add("index", "EmbeddingDenseBackward", ("normal", index), lambda g, i: (g, i, len(g), len(g), False, {"out": torch.empty_like(g)}),
        lambda o, g, i: torch.ops.aten.embedding_dense_backward(g, i, len(g), len(g), False), dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), **rows)
    advanced()
    masks()


def selections():
    """Elements by their place in the order of all, of a row, and of a column; and pieces of an axis."""
    # Given an output, PyTorch's median of all has none.
    add("sort", "Median", ("normal",), attributes(), lambda o, x: torch.median(x))
    for label, shape, axis in (("rows", matrix, 1), ("columns", lambda n: (64, n // 64), 0)):
        place = {"shape": shape, "label": label}
        add("sort", "MedianDim", ("normal",), attributes(axis, False), into(torch.median, axis), **place)
        add("sort", "Kthvalue", ("normal",), attributes(10, axis, False), lambda o, x, a=axis: torch.kthvalue(x, 10, a, out=o), **place)


def generators():
    drawn = {"drawn": True}
    formula("generator", "InplaceUniform InplaceNormal", "normal", ours=(0.0, 1.0, 1, 0), theirs=(), **drawn)
    formula("generator", "InplaceBernoulli", "normal", ours=(0.5, 1, 0), theirs=(0.5,), **drawn)
    # The only operand is the output.
    add("generator", "NormalFloatFloat", ("zero",), lambda x: (0.0, 1.0, 1, 0, {"out": x}), lambda o, x: torch.normal(0.0, 1.0, x.shape, out=o), **drawn)
    add("generator", "Arange", ("zero",), lambda x: (0, len(x), 1, {"out": x}), lambda o, x: torch.arange(0, len(x), 1, out=o))
    add("generator", "Linspace", ("zero",), lambda x: (0.0, 1.0, len(x), {"out": x}), lambda o, x: torch.linspace(0.0, 1.0, len(x), out=o))
    add("generator", "Eye", ("zero",), lambda x: (*x.shape, {"out": x}), lambda o, x: torch.eye(*x.shape, out=o), shape=matrix)
    add("generator", "InplaceRandom", ("normal",), attributes(0, 100, 1, 0), lambda o, x: x.random_(0, 100), **drawn)
    add("generator", "Dropout", ("normal",), lambda x: (x, 0.1, True, 1, 0, {"maskOut": torch.empty(-(-x.numel() // 128) * 16, dtype=torch.uint8)}),
        lambda o, x: torch.native_dropout(x, 0.1, True), **drawn)
    add("generator", "Randperm", ("zero",), lambda x: (len(x), 1, 0, {"out": numbers(len(x))}), lambda o, x: torch.randperm(len(x), out=o), **drawn,
        **WHOLE)
    for label, columns, samples, replaces in (("vocabulary", 151936, 1, True), ("classes", 1000, 1 << 14, True), ("without replacement", 32000, 50, False),
                                              ("half without replacement", 32000, 16000, False)):
        add("generator", "Multinomial", (Operand("share", given(8, columns)),), attributes(samples, replaces, 1, 0),
            lambda o, x, s=samples, r=replaces: torch.multinomial(x, s, r, out=o), label=label, **drawn)
