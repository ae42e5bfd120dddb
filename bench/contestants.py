# SPDX-License-Identifier: Apache-2.0
"""The operands of a row, and the contestants: Portacl, PyTorch, and further peers, each called with the number of repetitions."""
import portacl
import torch

from row import DRAWS, LAYOUTS, SIZES, indices
from timing import GRAPH

CHECKED = SIZES["L3"]    # number of elements in the comparison of errors


class Draws:
    """Operands, taken from random values that are generated once."""

    def __init__(self):
        self.pools = {}

    def operand(self, operand, n, dtype, place, wide=False):
        if operand.kind == "index":
            return indices(n)
        memory, view = LAYOUTS[operand.layout]
        shape = memory(operand.shape(n))
        kind = "wide" if wide and operand.kind == "normal" else operand.kind
        elements = torch.Size(shape).numel()
        key = kind, dtype, place
        if key not in self.pools or len(self.pools[key]) < elements:
            torch.manual_seed(place)
            drawn = DRAWS.get(kind, kind)(max(elements, CHECKED))
            self.pools[key] = drawn.to(dtype) if drawn.dtype == torch.float32 else drawn
        return view(self.pools[key][:elements].view(shape))

    def operands(self, row, n, dtype, wide=False):
        drawn = [self.operand(operand, n, dtype, place, wide) for place, operand in enumerate(row.operands)]
        return [*drawn, *(row.completed(*drawn) if row.completed else ())]


def several(results):
    """One result, or a list of those that were requested."""
    return [results] if isinstance(results, torch.Tensor) else [result for result in results if result is not None]


class Ours:
    """Both phases and the wait, repeated on prepared descriptors."""

    def __init__(self, row, operands):
        arguments, named = row.ours(*operands), {}
        if isinstance(arguments[-1], dict):
            arguments, named = arguments[:-1], arguments[-1]
        self.call = portacl.prepare(row.operator, *arguments, **named)
        self.call(1)

    def __call__(self, times):
        self.call(times)

    @property
    def results(self):
        return self.call.results


class Theirs:
    """PyTorch's call. If it writes to existing memory, several calls are recorded in a graph, which costs about 0.3 us per call instead of
    Python's 1 us; a graph would drop calls whose results are not read."""

    def __init__(self, row, out, operands):
        outs, single = several(out), isinstance(out, torch.Tensor)
        elements = max(operand.numel() for operand in operands)
        each = GRAPH if elements <= SIZES["L2"] else GRAPH // 8    # the closures do not hold self: a circle would keep its tensors
        self.tensors, self.each = (*outs, *operands), each

        def once(*tensors):
            return row.torch(tensors[0] if single else tensors[:len(outs)], *tensors[len(outs):])

        def often(*tensors):
            for _ in range(each):
                result = once(*tensors)
            return result
        self.once, self.often = once, often
        place = several(once(*self.tensors))[0].data_ptr()    # 0: it has no elements
        writes = place != 0 and place in (tensor.data_ptr() for tensor in self.tensors)
        if writes and elements < SIZES["memory"]:
            self.often = torch.jit.trace(often, self.tensors, check_trace=False)

    def __call__(self, times):
        for _ in range(times // self.each):
            self.often(*self.tensors)
        for _ in range(times % self.each):
            self.once(*self.tensors)


class Peer:
    """A further peer's call."""

    def __init__(self, call):
        self.call = call

    def __call__(self, times):
        for _ in range(times):
            self.call()


def peers_of(row, out, operands):
    """The peers that have the call, by name."""
    found = {}
    for name, make in row.peers:
        try:
            call = make(out, *operands)
            if call:
                call()
                found[name] = Peer(call)
        except RuntimeError:    # no kernel for this dtype or shape
            pass
    return found


def largest_error(got, exact, terms, vanishing):
    """In ULP of `terms`; infinity if one value is infinite or NaN and the other is not. `vanishing`: 0 is
    correct if the exact result is subnormal, or becomes so by a rounding error."""
    info = torch.finfo(got.dtype)
    unit = torch.exp2(torch.floor(torch.log2(terms.abs().clamp(min=info.smallest_normal, max=info.max)))) * info.eps
    error = (got.double() - exact).abs() / unit
    rounded = exact.to(got.dtype)
    error[~rounded.isfinite() & (got == rounded) | got.isnan() & rounded.isnan()] = 0
    if vanishing:
        error[(got == 0) & (exact.abs() < info.smallest_normal * (1 + info.eps))] = 0
    return error.nan_to_num(nan=float("inf"), posinf=float("inf")).max().item()


def widened(value):
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        return tuple(map(widened, value))
    return value.double() if value.is_floating_point() else value.clone()


def copied(x):
    """A copy with the same layout."""
    return torch.empty_strided(x.size(), x.stride(), dtype=x.dtype).copy_(x)


def errors(row, dtype, draws):
    """(Ours, PyTorch's) with ordinary and with wide operands; None if only truth values are compared, which have to be equal."""
    ours, theirs = 0, 0
    for wide in (False, True):
        operands = draws.operands(row, CHECKED, dtype, wide)
        if max(operand.numel() for operand in operands) > SIZES["memory"]:
            return None    # would take minutes
        exact_operands = [widened(operand) for operand in operands]
        results = Ours(row, [copied(operand) for operand in operands]).results
        got = several(results)[0].clone()
        peer = several(row.torch(results, *(copied(operand) for operand in operands)))[0]
        if got.dtype == torch.bool and not torch.equal(got, peer):
            raise RuntimeError("results differ from PyTorch's")
        if not got.is_floating_point():
            return None
        terms = row.terms(*exact_operands) if row.terms else None
        exact = row.exact(*exact_operands) if row.exact else several(row.torch(widened(results), *exact_operands))[0]
        terms = exact if terms is None else torch.maximum(terms, exact.abs())
        ours = max(ours, largest_error(got, exact, terms, row.vanishing))
        theirs = max(theirs, largest_error(peer, exact, terms, row.vanishing))
    return ours, theirs
