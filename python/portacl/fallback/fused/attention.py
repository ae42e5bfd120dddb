# SPDX-License-Identifier: Apache-2.0
"""Fused attention: npu_fusion_attention with its gradient, for training, and npu_fused_infer_attention_score.

Scores are computed in float32 whatever the dtype. A row whose scores are all masked gives zeros.
"""

import torch

from . import refuse

_DEFAULT, _ALL, _LEFT_UP, _RIGHT_DOWN, _BAND, _PREFIX, _PREFIX_COMPRESSED, _RIGHT_DOWN_PART, _LEFT_UP_PART = range(9)
_LAYOUTS = ("BSH", "SBH", "BSND", "BNSD", "TND")
_WIDTH = 8    # the largest score of a row and its sum are stored in that number of equal columns
_GOLDEN = 0x9E3779B97F4A7C15    # 2^64 / golden ratio, odd: distributes consecutive offsets over all seeds


def _to_bnsd(x, layout, heads):
    if layout in ("BSH", "SBH"):
        x = x.unflatten(-1, (heads, -1))
    return {"BSH": lambda: x.transpose(1, 2), "SBH": lambda: x.permute(1, 2, 0, 3), "BSND": lambda: x.transpose(1, 2),
            "BNSD": lambda: x}[layout]()


def _from_bnsd(x, layout):
    return {"BSH": lambda: x.transpose(1, 2).flatten(2), "SBH": lambda: x.permute(2, 0, 1, 3).flatten(2),
            "BSND": lambda: x.transpose(1, 2), "BNSD": lambda: x}[layout]().contiguous()


def _segments(ends):
    """(begin, end) of each sequence, from the ends of all; zeros at the end are unused batches."""
    begin, found = 0, []
    for end in ends:
        if end < begin:
            break
        found.append((begin, end))
        begin = end
    return found


def _masked(mode, mask, rows, columns, before, after, prefix=None):
    """True where a score is masked, as [rows, columns] or with leading axes for batch and heads; None if no score is."""
    if mask is None:
        return None
    column, row = torch.arange(columns), torch.arange(rows)[:, None]
    corner = row + (columns - rows)    # the diagonal that ends in the lower right corner
    if mode in (_DEFAULT, _ALL):
        mask = mask.bool()[..., :rows, :columns]
        return mask | (column > row + after) | (column < row - before) if mode == _DEFAULT else mask
    if mode == _LEFT_UP:
        return column > row
    if mode == _RIGHT_DOWN:
        return column > corner
    if mode == _BAND:
        return (column > corner + after) | (column < corner - before)
    return (column > corner) & (column >= prefix)


class _Scores:
    """The computation of attention for q, k and v, as [batch, heads, rows, depth]; k and v may have fewer heads."""

    def __init__(self, q, k, v, scale, masked=None, added=None, kept=None, scale_all=True):
        self.group = q.shape[1] // k.shape[1]
        self.q, self.k, self.v = q.float(), self._each_head(k.float()), self._each_head(v.float())
        self.scale, self.kept = scale, kept    # kept: the factor by which dropout multiplies probabilities
        scores = self.q @ self.k.transpose(-1, -2)
        if added is not None and scale_all:
            scores = scores + added.float()
        scores = scores * scale
        if added is not None and not scale_all:
            scores = scores + added.float()
        if masked is not None:
            scores = scores.masked_fill(masked, -torch.inf)
        self.largest = scores.amax(-1, keepdim=True)
        weights = torch.exp(scores - self.largest.where(self.largest != -torch.inf, torch.zeros(())))
        self.sum = weights.sum(-1, keepdim=True)
        self.probabilities = weights / self.sum.where(self.sum != 0, torch.ones(()))

    def _each_head(self, x):
        return x.repeat_interleave(self.group, 1) if self.group > 1 else x

    def _one_for_its_heads(self, x):
        return x.unflatten(1, (-1, self.group)).sum(2) if self.group > 1 else x

    def result(self):
        return (self.probabilities if self.kept is None else self.probabilities * self.kept) @ self.v

    def gradients(self, of_result):
        """The gradients of q, k, v and of the term added to the scores before scaling."""
        p, kept = self.probabilities, self.kept
        of_v = (p if kept is None else p * kept).transpose(-1, -2) @ of_result
        of_p = of_result @ self.v.transpose(-1, -2)
        if kept is not None:
            of_p = of_p * kept
        of_scores = p * (of_p - (of_p * p).sum(-1, keepdim=True)) * self.scale
        return (of_scores @ self.k, self._one_for_its_heads(of_scores.transpose(-1, -2) @ self.q), self._one_for_its_heads(of_v),
                of_scores)


def _sum_to(x, shape):
    return x.sum_to_size(shape) if x.shape != shape else x


class _Training:
    """One call of npu_fusion_attention: its arguments, divided into pieces that are computed in the same way."""

    def __init__(self, name, query, key, value, heads, layout, *, pse=None, padding_mask=None, atten_mask=None, scale=1.0, keep_prob=1.0,
                 before=2**31 - 1, after=2**31 - 1, prefix=None, ends_q=None, ends_kv=None, mode=0, sink=None, seed=0, offset=0):
        refuse.unless(layout in _LAYOUTS, name, f"input_layout '{layout}'", "one of " + ", ".join(_LAYOUTS))
        refuse.unless(padding_mask is None and sink is None, name, "padding_mask or sink", "the call without")
        refuse.unless(0 <= mode <= _LEFT_UP_PART, name, f"sparse_mode {mode}", "one of 0 to 8")
        self.q, self.k, self.v, self.heads, self.layout = query, key, value, heads, layout
        self.pse, self.mask, self.scale, self.keep_prob = pse, atten_mask, scale, keep_prob
        self.before, self.after, self.prefix, self.mode = before, after, prefix, mode
        self.seed, self.offset = seed, offset
        self.packed = layout == "TND"
        self.pairs = list(zip(_segments(ends_q or ()), _segments(ends_kv or ()))) if self.packed else None
        if not self.packed:
            refuse.unless(pse is None or pse.shape[-2] in (1, self._bnsd()[0].shape[2]), name, "a compressed pse", "a pse with all rows")
        else:
            refuse.unless(pse is None, name, "pse and layout TND", "another layout")

    def _bnsd(self):
        depth = self.q.shape[-1] // self.heads if self.layout in ("BSH", "SBH") else self.q.shape[-1]
        heads_kv = self.k.shape[-1] // depth if self.layout in ("BSH", "SBH") else 0
        return (_to_bnsd(self.q, self.layout, self.heads), _to_bnsd(self.k, self.layout, heads_kv),
                _to_bnsd(self.v, self.layout, heads_kv))

    def scores(self):
        """_Scores of each piece: of the whole, or of the sequences of a packed batch; None for a sequence without tokens."""
        draw = torch.Generator().manual_seed((self.seed + self.offset * _GOLDEN) % 2**64) if self.keep_prob < 1 else None
        if not self.packed:
            q, k, v = self._bnsd()
            size = q.shape[2], k.shape[2]
            if self.mask is not None and self.mode in (_PREFIX, _PREFIX_COMPRESSED):
                masked = torch.stack([self._masked(*size, self.mode, n) for n in self.prefix])[:, None]
            else:
                masked = self._masked(*size, self.mode)
            return [self._score(q, k, v, masked, draw)]
        found = []
        for index, ((begin, end), (begin_kv, end_kv)) in enumerate(self.pairs):
            mode = self.mode
            if mode == _RIGHT_DOWN_PART:
                mode = _BAND if index == len(self.pairs) - 1 else _RIGHT_DOWN
            elif mode == _LEFT_UP_PART:
                mode = _BAND if index == 0 else _LEFT_UP
            if end == begin or end_kv == begin_kv:
                found.append(None)
                continue
            q, k, v = (x.transpose(0, 1)[None] for x in (self.q[begin:end], self.k[begin_kv:end_kv], self.v[begin_kv:end_kv]))
            prefix = self.prefix[index] if self.prefix else None
            found.append(self._score(q, k, v, self._masked(end - begin, end_kv - begin_kv, mode, prefix), draw))
        return found

    def _masked(self, rows, columns, mode, prefix=None):
        return _masked(mode, self.mask, rows, columns, self.before, self.after, prefix)

    def _score(self, q, k, v, masked, draw):
        kept = None
        if draw is not None:
            kept = torch.rand(*q.shape[:3], k.shape[2], generator=draw).lt(self.keep_prob) / self.keep_prob
        return _Scores(q, k, v, self.scale, masked, self.pse, kept)

    def numbers(self):
        """How many random numbers dropout uses."""
        if self.keep_prob >= 1:
            return 0
        if self.packed:
            return sum((end - begin) * (end_kv - begin_kv) for (begin, end), (begin_kv, end_kv) in self.pairs) * self.heads
        q, k, _ = self._bnsd()
        return q.shape[0] * q.shape[1] * q.shape[2] * k.shape[2]


def _next_draw():
    """Seed (as an int64) and offset of the current device's next random call; advances the offset, as draws.h does."""
    generator = torch.npu.default_generators[torch.npu.current_device()]
    seed, offset = generator.initial_seed(), generator.get_offset()
    generator.set_offset(offset + 4)
    return seed - 2**64 if seed >= 2**63 else seed, offset


def fusion_attention(query, key, value, head_num, input_layout, pse=None, padding_mask=None, atten_mask=None, scale=1.0, keep_prob=1.0,
                     pre_tockens=2**31 - 1, next_tockens=2**31 - 1, inner_precise=0, prefix=None, actual_seq_qlen=None,
                     actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False, softmax_layout="", sink=None,
                     dropout_mask=None, seed=0, offset=0):
    refuse.unless(dropout_mask is None, "npu_fusion_attention", "dropout_mask", "keep_prob")
    if keep_prob < 1 and not seed and not offset:
        seed, offset = _next_draw()
    call = _Training("npu_fusion_attention", query, key, value, head_num, input_layout, pse=pse, padding_mask=padding_mask,
                     atten_mask=atten_mask, scale=scale, keep_prob=keep_prob, before=pre_tockens, after=next_tockens, prefix=prefix,
                     ends_q=actual_seq_qlen, ends_kv=actual_seq_kvlen, mode=sparse_mode, sink=sink, seed=seed, offset=offset)
    pieces, unused = call.scores(), query.new_empty(0)
    if not call.packed:
        piece, = pieces
        result = _from_bnsd(piece.result(), input_layout)
        largest, sums = (x.expand(*x.shape[:-1], _WIDTH).contiguous() for x in (piece.largest, piece.sum))
    else:
        result = query.new_zeros(*query.shape[:2], value.shape[-1], dtype=torch.float32)
        largest, sums = torch.zeros(2, *query.shape[:2], _WIDTH).unbind()
        for ((begin, end), _), piece in zip(call.pairs, pieces):
            if piece is not None:
                result[begin:end] = piece.result()[0].transpose(0, 1)
                largest[begin:end], sums[begin:end] = (x[0].transpose(0, 1) for x in (piece.largest, piece.sum))
    return result.to(query.dtype), largest, sums, unused, seed, offset, call.numbers()


def fusion_attention_grad(query, key, value, dy, head_num, input_layout, *, pse=None, padding_mask=None, atten_mask=None, softmax_max=None,
                          softmax_sum=None, softmax_in=None, attention_in=None, scale_value=1.0, keep_prob=1.0, pre_tockens=2**31 - 1,
                          next_tockens=2**31 - 1, inner_precise=0, seed=0, offset=0, numels=0, prefix=None, actual_seq_qlen=None,
                          actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False, softmax_layout="", sink=None):
    call = _Training("npu_fusion_attention_grad", query, key, value, head_num, input_layout, pse=pse, padding_mask=padding_mask,
                     atten_mask=atten_mask, scale=scale_value, keep_prob=keep_prob, before=pre_tockens, after=next_tockens, prefix=prefix,
                     ends_q=actual_seq_qlen, ends_kv=actual_seq_kvlen, mode=sparse_mode, sink=sink, seed=seed, offset=offset)
    pieces, of_pse = call.scores(), None
    if not call.packed:
        gradients = pieces[0].gradients(_to_bnsd(dy.float(), input_layout, head_num))
        found = [_from_bnsd(x, input_layout) for x in gradients[:3]]
        of_pse = _sum_to(gradients[3], pse.shape).to(pse.dtype) if pse is not None else None
    else:
        found = [torch.zeros(x.shape) for x in (query, key, value)]
        for ((begin, end), (begin_kv, end_kv)), piece in zip(call.pairs, pieces):
            if piece is not None:
                gradients = [x[0].transpose(0, 1) for x in piece.gradients(dy[begin:end].float().transpose(0, 1)[None])[:3]]
                found[0][begin:end], found[1][begin_kv:end_kv], found[2][begin_kv:end_kv] = gradients
    return (*(x.to(query.dtype) for x in found), of_pse, torch.empty(0))


def _blocks(cache, table, length, size, heads):
    """Keys or values of one sequence as [heads, length, depth], from a cache of blocks."""
    blocks = cache[table[:-(-length // size)].long()]
    if blocks.dim() == 3:    # [block, token, heads x depth]
        blocks = blocks.unflatten(-1, (heads, -1)).transpose(1, 2)
    return blocks.transpose(0, 1).flatten(1, 2)[:, :length]


def _lengths(given, batch, longest):
    if given is None:
        return [longest] * batch
    return [given[0]] * batch if len(given) == 1 else list(given[:batch])


def infer_attention(query, key, value, *, pse_shift=None, atten_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None,
                    block_table=None, num_heads=1, scale=1.0, pre_tokens=2**31 - 1, next_tokens=2**31 - 1, input_layout="BSH",
                    num_key_value_heads=0, sparse_mode=0, inner_precise=0, block_size=0, softmax_lse_flag=False, antiquant_mode=0,
                    key_antiquant_mode=0, value_antiquant_mode=0, **others):
    name = "npu_fused_infer_attention_score"
    given = [key for key, value in others.items() if value is not None]
    refuse.unless(not given, name, ", ".join(given), "the call without")
    refuse.unless(input_layout in (*_LAYOUTS, "BNSD_BSND") and input_layout != "SBH", name, f"input_layout '{input_layout}'",
                  "one of BSH, BSND, BNSD, BNSD_BSND, TND")
    refuse.unless(0 <= sparse_mode <= _BAND, name, f"sparse_mode {sparse_mode}", "one of 0 to 4")
    heads_kv = num_key_value_heads or num_heads
    layout, layout_out = ("BNSD", "BSND") if input_layout == "BNSD_BSND" else (input_layout, input_layout)
    pieces = []    # slices of the result, q, k and v for each sequence
    if layout == "TND":
        # Without blocks both arrays contain ends; with blocks that of the keys contains the length of each sequence.
        places = _segments(actual_seq_lengths_kv) if block_table is None else enumerate(actual_seq_lengths_kv)
        for (begin, end), place in zip(_segments(actual_seq_lengths), places):
            if block_table is None:
                pair = [x[slice(*place)].transpose(0, 1) for x in (key, value)]
            else:
                index, length = place
                pair = [_blocks(x, block_table[index], length, block_size, heads_kv) for x in (key, value)]
            pieces.append(((slice(begin, end),), query[begin:end].transpose(0, 1), *pair))
        depth = pieces[0][3].shape[-1] if pieces else value.shape[-1]
        result, lse = torch.zeros(*query.shape[:2], depth), torch.zeros(*query.shape[:2], 1)
    else:
        q = _to_bnsd(query, layout, num_heads)
        if block_table is None:
            k, v = (_to_bnsd(x, layout, heads_kv) for x in (key, value))
        longest = k.shape[2] if block_table is None else 0
        for index, (rows, length) in enumerate(zip(_lengths(actual_seq_lengths if q.shape[2] > 1 else None, q.shape[0], q.shape[2]),
                                                   _lengths(actual_seq_lengths_kv, q.shape[0], longest))):
            if block_table is None:
                pair = k[index, :, :length], v[index, :, :length]
            else:
                pair = [_blocks(x, block_table[index], length, block_size, heads_kv) for x in (key, value)]
            pieces.append(((index, slice(None), slice(0, rows)), q[index, :, :rows], *pair))
        result, lse = torch.zeros(*q.shape[:3], pieces[0][3].shape[-1]), torch.zeros(*q.shape[:3], 1)
    for index, (place, q, k, v) in enumerate(pieces):
        if not q.shape[1] or not k.shape[1]:
            continue
        mask, added = (x[index if x.shape[0] > 1 else 0] if x is not None and x.dim() > 2 else x for x in (atten_mask, pse_shift))
        if mask is not None and mask.dim() == 2 and layout != "TND" and q.shape[1] == 1 and sparse_mode in (_DEFAULT, _ALL):
            mask = mask[index:index + 1] if mask.shape[0] > 1 else mask    # one row for each sequence
        masked = _masked(sparse_mode, mask, q.shape[1], k.shape[1], pre_tokens, next_tokens) if q.shape[1] > 1 else (
            mask.bool()[..., :1, :k.shape[1]] if mask is not None and sparse_mode in (_DEFAULT, _ALL) else None)
        added = added[..., :q.shape[1], :k.shape[1]] if added is not None else None
        piece = _Scores(q[None], k[None], v[None], scale, masked, added, scale_all=False)
        one, one_lse = piece.result()[0], (piece.largest + piece.sum.log()).where(piece.sum != 0, torch.tensor(torch.inf))[0]
        result[place], lse[place] = (x.transpose(0, 1) if layout == "TND" else x for x in (one, one_lse))
    if layout != "TND":
        result = _from_bnsd(result, layout_out)
    return result.to(query.dtype), lse if softmax_lse_flag else torch.zeros(1)
