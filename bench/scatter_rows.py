# SPDX-License-Identifier: Apache-2.0
"""Rows of gathers and scatters: single elements, lines, few rows, the last axis."""
import torch

from row import COLUMNS, add, flat, given, matrix


def places(most=len, count=len, shape=flat):
    """Completes a tensor with random positions below `most` of it, and a source of `count` rows for them."""
    def completed(x):
        n = count(x)
        return torch.randint(most(x), shape(n)), torch.randn(shape(n)[0], *x.shape[1:]).to(x.dtype)
    return completed


def scatters():
    rows = {"shape": matrix}

    def sums(call):
        return lambda x, *rest: call(x.abs(), *rest[:-1], rest[-1].abs())

    def scatter_add(x, i, y, axis=0):
        return torch.scatter_add(x, axis, i, y)

    def index_add(x, i, y, axis=0):
        return torch.index_add(x, axis, i, y)

    for label, few in (("one line", 1), ("few of many", 64)):
        place = {"label": label, "completed": places(count=lambda x, few=few: max(1, len(x) // few))}
        add("index", "Gather", ("normal",), lambda x, i, y: (x, 0, i), lambda o, x, i, y: torch.gather(x, 0, i, out=o), **place)
        add("index", "Scatter", ("normal",), lambda x, i, y: (x, 0, i, y, 0), lambda o, x, i, y: torch.scatter(x, 0, i, y, out=o), **place)
        add("index", "InplaceScatter", ("normal",), lambda x, i, y: (x, 0, i, y, 0), lambda o, x, i, y: x.scatter_(0, i, y), **place)
        add("index", "ScatterAdd", ("normal",), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: torch.scatter_add(x, 0, i, y, out=o),
            terms=sums(scatter_add), **place)
        add("index", "InplaceScatter", ("normal",), lambda x, i, y: (x, 0, i, y, 1), lambda o, x, i, y: x.scatter_add_(0, i, y),
            terms=sums(scatter_add), **{**place, "label": label + ", added"})
        add("index", "IndexAdd", ("normal",), lambda x, i, y: (x, 0, i, y, 1.0), lambda o, x, i, y: torch.index_add(x, 0, i, y, out=o),
            terms=sums(index_add), **place)
    line = {"completed": places(), "label": "one line, INT32"}
    add("index", "Gather", ("normal",), lambda x, i, y: (x, 0, i.int()), lambda o, x, i, y: torch.gather(x, 0, i, out=o), **line)
    add("index", "InplaceScatter", ("normal",), lambda x, i, y: (x, 0, i.int(), y, 0), lambda o, x, i, y: x.scatter_(0, i, y), **line)
    add("index", "InplaceScatter", ("normal",), lambda x, i, y: (x, 0, i.int(), y, 1), lambda o, x, i, y: x.scatter_add_(0, i, y),
        terms=sums(scatter_add), **{**line, "label": "one line, INT32, added"})
    across = {**rows, "completed": places(shape=lambda n: (n, COLUMNS)), "label": "columns"}
    add("index", "Gather", ("normal",), lambda x, i, y: (x, 0, i), lambda o, x, i, y: torch.gather(x, 0, i, out=o), **across)
    add("index", "Scatter", ("normal",), lambda x, i, y: (x, 0, i, y, 0), lambda o, x, i, y: torch.scatter(x, 0, i, y, out=o), **across)
    add("index", "ScatterAdd", ("normal",), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: torch.scatter_add(x, 0, i, y, out=o),
        terms=sums(scatter_add), **across)

    def columns_of(x):
        return torch.randint(COLUMNS, (COLUMNS,)), torch.randn(x.shape).to(x.dtype)
    last = {**rows, "completed": columns_of, "label": "last axis"}
    add("index", "IndexSelect", ("normal",), lambda x, i, y: (x, 1, i), lambda o, x, i, y: torch.index_select(x, 1, i, out=o), **last)
    add("index", "IndexCopy", ("normal",), lambda x, i, y: (x, 1, i, y), lambda o, x, i, y: torch.index_copy(x, 1, i, y, out=o), **last)
    add("index", "IndexAdd", ("normal",), lambda x, i, y: (x, 1, i, y, 1.0), lambda o, x, i, y: torch.index_add(x, 1, i, y, out=o),
        terms=sums(lambda x, i, y: index_add(x, i, y, 1)), **last)
    few = {"shape": given(16, COLUMNS), "completed": places(count=lambda x: 4096), "label": "into few rows"}
    add("index", "IndexAdd", ("normal",), lambda x, i, y: (x, 0, i, y, 1.0), lambda o, x, i, y: torch.index_add(x, 0, i, y, out=o),
        terms=sums(index_add), **few)
    add("index", "EmbeddingDenseBackward", ("normal",), lambda x, i, g: (g, i, len(x), len(x), False, {"out": torch.empty_like(x)}),
        lambda o, x, i, g: torch.ops.aten.embedding_dense_backward(g, i, len(x), len(x), False), terms=lambda x, i, g: index_add(torch.zeros_like(x), i, g.abs()),
        dtypes=("FLOAT", "FLOAT16", "BFLOAT16"), **few)
    narrow = {"shape": lambda n: (max(1, n // 16), 16), "completed": places(), "label": "rows of 16"}
    add("index", "IndexAdd", ("normal",), lambda x, i, y: (x, 0, i, y, 1.0), lambda o, x, i, y: torch.index_add(x, 0, i, y, out=o),
        terms=sums(index_add), **narrow)
    add("index", "InplaceIndexCopy", ("normal",), lambda x, i, y: (x, 0, i, y), lambda o, x, i, y: x.index_copy_(0, i, y), **narrow)
    add("index", "IndexSelect", ("normal",), lambda x, i, y: (x, 0, i), lambda o, x, i, y: torch.index_select(x, 0, i, out=o), **narrow)
    named = {**rows, "completed": lambda x: (torch.randint(len(x), (len(x), 1)), torch.randn(x.shape).to(x.dtype))}
    add("index", "ScatterNdUpdate", ("normal",), lambda x, i, y: (x, i, y), lambda o, x, i, y: x.index_put_((i[:, 0],), y), **named)
    add("index", "GatherNd", ("normal",), lambda x, i, y: (x, i, False), lambda o, x, i, y: torch.index_select(x, 0, i[:, 0], out=o), **named)
