# SPDX-License-Identifier: Apache-2.0
"""The torch_npu operators that the package composes, and their gradients, compared with float64; and the messages of missing ones."""

import math
import unittest

from npu_case import NPU, NpuCase

import torch
import torch_npu
from torch.nn import functional

HALF = torch.float16


def causal(rows, columns, diagonal=0):
    return torch.ones(rows, columns).triu(1 + diagonal).bool()


def attention(q, k, v, scale, masked=None, pse=None):
    """Attention on [batch, heads, rows, depth], in the dtype of q."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = (q @ k.mT + (0 if pse is None else pse)) * scale
    if masked is not None:
        scores = scores.masked_fill(masked, -torch.inf)
    return scores.softmax(-1) @ v


class Fused(NpuCase):
    def setUp(self):
        torch.manual_seed(0)

    def compare(self, fused, composed, *inputs, tolerance=1e-5):
        """Compares results and gradients of `fused` with those of `composed` in float64."""
        npu = [x.to(NPU).requires_grad_() for x in inputs]
        exact = [x.double().requires_grad_() for x in inputs]
        result, expected = fused(*npu), composed(*exact)
        seed = torch.randn(expected.shape, dtype=torch.float64)
        found = torch.autograd.grad(result, npu, seed.to(result.dtype).to(NPU))
        want = torch.autograd.grad(expected, exact, seed)
        for name, one, other in zip(("result", *range(len(want))), (result, *found), (expected, *want)):
            with self.subTest(of=name):
                self.assertEqual(one.device, NPU)
                torch.testing.assert_close(one.detach().cpu().double(), other.detach(), rtol=tolerance, atol=tolerance)

    def test_norms_and_gated_units(self):
        def rms(x, w):
            return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * w

        self.compare(lambda x, w: torch_npu.npu_rms_norm(x, w)[0], rms, torch.randn(2, 3, 8), torch.randn(8))
        x, y, w = torch.randn(2, 8), torch.randn(2, 8), torch.randn(8)
        result, _, total = torch_npu.npu_add_rms_norm(x.npu(), y.npu(), w.npu())
        self.assert_same(result, rms(x + y, w))
        self.assert_same(total, x + y)
        self.compare(lambda x: torch_npu.npu_geglu(x)[0], lambda x: x.chunk(2, -1)[0] * functional.gelu(x.chunk(2, -1)[1], approximate="tanh"),
                     torch.randn(3, 8), tolerance=1e-4)

    def test_activations(self):
        self.compare(torch_npu.npu_fast_gelu, lambda x: x / (1 + torch.exp(-1.702 * x)), torch.randn(4, 5))
        self.compare(torch_npu.npu_silu, functional.silu, torch.randn(4, 5))
        self.compare(torch_npu.npu_mish, functional.mish, torch.randn(4, 5))

    def test_rotary_embedding(self):
        def rotated(x, mode):
            if mode == "half":
                return torch.cat((-x[..., 4:], x[..., :4]), -1)
            return torch.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)

        for mode in ("half", "interleave"):
            for shape in ((1, 1, 4, 8), (2, 1, 4, 8)):
                self.compare(lambda x, r1, r2: torch_npu.npu_rotary_mul(x, r1, r2, mode), lambda x, r1, r2: r1 * x + r2 * rotated(x, mode),
                             torch.randn(2, 3, 4, 8), torch.randn(shape), torch.randn(shape))

    def test_shapes(self):
        x = torch.randn(2, 3, 4, 6)
        self.compare(lambda x: torch_npu.npu_confusion_transpose(x, (0, 2, 1, 3), (2, 4, 18), True),
                     lambda x: x.permute(0, 2, 1, 3).reshape(2, 4, 18), x)
        self.compare(lambda x: torch_npu.npu_confusion_transpose(x, (2, 0, 1), (2, 12, 6), False),
                     lambda x: x.reshape(2, 12, 6).permute(2, 0, 1), x)

    def test_formats_are_labels(self):
        x = torch.randn(20, 32)
        cast = torch_npu.npu_format_cast(x.npu(), 29)
        self.assertEqual(torch_npu.get_npu_format(cast), 29)
        self.assertNotEqual(torch_npu.get_npu_format(x.npu()), 29)
        self.assert_same(cast @ cast.t() + 1, x @ x.t() + 1)
        torch_npu.npu_format_cast_(cast, 2)
        self.assertEqual(torch_npu.get_npu_format(cast), 2)

    def test_attention_in_every_layout(self):
        b, n, s, d = 2, 4, 6, 8
        to_bnsd = {"BNSD": lambda x: x, "BSND": lambda x: x.transpose(1, 2), "BSH": lambda x: x.unflatten(2, (-1, d)).transpose(1, 2),
                   "SBH": lambda x: x.unflatten(2, (-1, d)).permute(1, 2, 0, 3)}
        back = {"BNSD": lambda x: x, "BSND": lambda x: x.transpose(1, 2), "BSH": lambda x: x.transpose(1, 2).flatten(2),
                "SBH": lambda x: x.permute(2, 0, 1, 3).flatten(2)}
        shapes = {"BNSD": lambda heads: (b, heads, s, d), "BSND": lambda heads: (b, s, heads, d), "BSH": lambda heads: (b, s, heads * d),
                  "SBH": lambda heads: (s, b, heads * d)}
        for layout, shape in shapes.items():
            for heads in (4, 2):
                self.compare(
                    lambda q, k, v: torch_npu.npu_fusion_attention(q, k, v, n, layout, scale=0.3, sparse_mode=2,
                                                                   atten_mask=causal(2048, 2048).npu())[0],
                    lambda q, k, v: back[layout](attention(*(to_bnsd[layout](x) for x in (q, k, v)), 0.3, causal(s, s))),
                    torch.randn(shape(4)), torch.randn(shape(heads)), torch.randn(shape(heads)))

    def test_attention_masks(self):
        rows, columns = 5, 7
        column, row = torch.arange(columns), torch.arange(rows)[:, None]
        corner = row + columns - rows
        given = torch.rand(rows, columns) < 0.3
        given[:, 0] = False
        cases = ({}, None), ({"sparse_mode": 1, "atten_mask": given}, given), ({"atten_mask": given}, given), \
            ({"sparse_mode": 3, "atten_mask": given}, column > corner), \
            ({"sparse_mode": 4, "atten_mask": given, "pre_tockens": 2, "next_tockens": 1}, (column > corner + 1) | (column < corner - 2)), \
            ({"atten_mask": torch.zeros(rows, columns).bool(), "pre_tockens": 2, "next_tockens": 1}, (column > row + 1) | (column < row - 2)), \
            ({"sparse_mode": 6, "atten_mask": given, "prefix": [4]}, (column > corner) & (column >= 4))
        for options, masked in cases:
            options = {name: value.npu() if isinstance(value, torch.Tensor) else value for name, value in options.items()}
            with self.subTest(**{name: value for name, value in options.items() if name != "atten_mask"}):
                self.compare(lambda q, k, v, pse: torch_npu.npu_fusion_attention(q, k, v, 2, "BNSD", pse=pse, scale=0.5, **options)[0],
                             lambda q, k, v, pse: attention(q, k, v, 0.5, masked, pse),
                             torch.randn(1, 2, rows, 4), torch.randn(1, 2, columns, 4), torch.randn(1, 2, columns, 4),
                             torch.randn(1, 2, rows, columns))

    def test_attention_of_packed_sequences(self):
        ends = (3, 3, 8)

        def each(q, k, v):
            pieces = [attention(*(x[begin:end].transpose(0, 1)[None] for x in (q, k, v)), 0.5, causal(end - begin, end - begin))[0].transpose(0, 1)
                      for begin, end in ((0, 3), (3, 8))]
            return torch.cat(pieces)

        self.compare(lambda q, k, v: torch_npu.npu_fusion_attention(
            q, k, v, 2, "TND", scale=0.5, sparse_mode=3, atten_mask=causal(2048, 2048).npu(), actual_seq_qlen=ends, actual_seq_kvlen=ends)[0],
            each, torch.randn(8, 2, 4), torch.randn(8, 2, 4), torch.randn(8, 2, 4))

    def test_attention_tells_its_softmax_and_drops_alike_in_both_directions(self):
        q, k, v = (torch.randn(1, 1, 64, 64).npu().requires_grad_() for _ in range(3))
        _, largest, total, _, _, _, numbers = torch_npu.npu_fusion_attention(q, k, v, 1, "BNSD")
        scores = (q @ k.mT).detach()
        self.assertEqual((largest.shape, numbers), ((1, 1, 64, 8), 0))
        self.assert_same(largest[..., :1], scores.amax(-1, keepdim=True).cpu())
        self.assert_same((largest + total.log())[..., :1], scores.logsumexp(-1, keepdim=True).cpu())
        state = torch.npu.get_rng_state()
        first = torch_npu.npu_fusion_attention(q, k, torch.eye(64).npu()[None, None], 1, "BNSD", keep_prob=0.7)
        self.assertEqual(first[-1], 64 * 64)
        kept = first[0].detach() != 0    # with the identity matrix as values, the result shows the probabilities
        self.assertAlmostEqual(kept.float().mean().item(), 0.7, delta=0.05)
        torch.npu.set_rng_state(state)
        again = torch_npu.npu_fusion_attention(q, k, v, 1, "BNSD", keep_prob=0.7)[0]
        exact = (q @ k.mT).softmax(-1) * kept / 0.7 @ v
        self.assert_same(again, exact.cpu(), rtol=1e-4, atol=1e-4)
        for one, other in zip(torch.autograd.grad(again.square().sum(), (q, k, v)), torch.autograd.grad(exact.square().sum(), (q, k, v))):
            self.assert_same(one, other.cpu(), rtol=1e-3, atol=1e-3)

    def test_attention_for_inference(self):
        b, n, kv, s, d = 2, 4, 2, 5, 16
        q, k, v = torch.randn(b, n, s, d).to(HALF), torch.randn(b, kv, 8, d).to(HALF), torch.randn(b, kv, 8, d).to(HALF)
        near = {"rtol": 2e-3, "atol": 2e-3}
        options = {"num_heads": n, "num_key_value_heads": kv, "input_layout": "BNSD", "scale": 0.25}
        run = lambda q, k, v, **more: torch_npu.npu_fused_infer_attention_score(q.npu(), k.npu(), v.npu(), **{**options, **more})
        exact = attention(q.double(), k.double(), v.double(), 0.25)
        self.assert_same(run(q, k, v)[0], exact.to(HALF), **near)
        self.assert_same(run(q, k, v, input_layout="BNSD_BSND")[0], exact.transpose(1, 2).to(HALF), **near)
        result, lse = run(q, k, v, sparse_mode=3, atten_mask=causal(2048, 2048).npu(), softmax_lse_flag=True)
        masked = causal(s, 8, 3)
        self.assert_same(result, attention(q.double(), k.double(), v.double(), 0.25, masked).to(HALF), **near)
        scores = (q.double() @ k.double().repeat_interleave(2, 1).mT * 0.25).masked_fill(masked, -torch.inf)
        self.assert_same(lse, scores.logsumexp(-1, keepdim=True).float(), **near)
        one = run(q[:, :, :1], k, v, actual_seq_lengths_kv=[3, 8])[0]
        for index, length in enumerate((3, 8)):
            want = attention(q[index:index + 1, :, :1].double(), *(x[index:index + 1, :, :length].double() for x in (k, v)), 0.25)
            self.assert_same(one[index:index + 1], want.to(HALF), **near)
        # The same keys in blocks of four, in another order.
        table = torch.tensor([[2, 0], [3, 1]], dtype=torch.int32)
        blocks = [torch.empty(4, 4, kv * d, dtype=HALF) for _ in range(2)]
        for x, cache in zip((k, v), blocks):
            for index in range(b):
                for part in range(2):
                    cache[table[index, part]] = x[index, :, 4 * part:4 * part + 4].transpose(0, 1).flatten(1)
        paged = torch_npu.npu_fused_infer_attention_score(
            q[:, :, 0].flatten(1)[:, None].contiguous().npu(), blocks[0].npu(), blocks[1].npu(), num_heads=n, num_key_value_heads=kv, scale=0.25,
            input_layout="BSH", block_table=table.npu(), block_size=4, actual_seq_lengths_kv=[3, 8])[0]
        self.assert_same(paged[:, 0].unflatten(1, (n, d)), one[:, :, 0].cpu(), **near)

    def test_packed_sequences_over_blocks(self):
        # Ends of the queries, lengths of the keys; one block per four keys, in any order.
        n, kv, d, size, queries, keys = 4, 2, 8, 4, (1, 3, 0, 5), (6, 3, 5, 13)
        ends = torch.tensor(queries).cumsum(0).tolist()
        table = torch.randperm(16).reshape(4, 4).int()
        near = {"rtol": 2e-3, "atol": 2e-3}
        q = torch.randn(sum(queries), n, d).to(HALF)
        flat = [torch.randn(16, size, kv * d).to(HALF) for _ in range(2)]
        for caches in (flat, [x.unflatten(2, (kv, d)).transpose(1, 2).contiguous() for x in flat]):
            for mode, mask in ((0, None), (3, causal(2048, 2048))):
                got, lse = torch_npu.npu_fused_infer_attention_score(
                    q.npu(), caches[0].npu(), caches[1].npu(), atten_mask=mask.npu() if mode else None, block_table=table.npu(), input_layout="TND",
                    block_size=size, actual_seq_lengths=ends, actual_seq_lengths_kv=keys, num_key_value_heads=kv, num_heads=n, scale=0.5,
                    sparse_mode=mode, softmax_lse_flag=True)
                for index, (end, rows, columns) in enumerate(zip(ends, queries, keys)):
                    if not rows:
                        continue
                    one = q[end - rows:end].transpose(0, 1)[None].double()
                    k, v = (x[table[index].long()].flatten(0, 1)[:columns].unflatten(1, (kv, d)).transpose(0, 1)[None].double() for x in flat)
                    masked = causal(rows, columns, columns - rows) if mode else None
                    self.assert_same(got[end - rows:end], attention(one, k, v, 0.5, masked)[0].transpose(0, 1).to(HALF), **near)
                    scores = one @ k.repeat_interleave(n // kv, 1).mT * 0.5
                    scores = scores.masked_fill(masked, -torch.inf) if mode else scores
                    self.assert_same(lse[end - rows:end], scores.logsumexp(-1, keepdim=True)[0].transpose(0, 1).float(), **near)

    def test_tokens_to_experts_and_back(self):
        experts = torch.tensor([[0, 4], [4, 3], [4, 2], [1, 1]])
        order = experts.flatten().argsort(stable=True)
        tokens, places = torch_npu.npu_moe_token_permute(torch.arange(4.0).reshape(4, 1).npu(), experts.npu())
        self.assertEqual(tokens.flatten().tolist(), (order // 2).tolist())
        self.assertEqual(places.cpu()[order].tolist(), list(range(8)))
        for kept in (None, 6):
            self.compare(lambda x: torch_npu.npu_moe_token_permute(x, experts.npu(), kept)[0], lambda x: x[order[:kept] // 2], torch.randn(4, 8))
            self.compare(lambda x, probs: torch_npu.npu_moe_token_unpermute(x, places, probs),
                         lambda x, probs: (torch.cat((x, x.new_zeros(8 - x.shape[0], 8)))[places.cpu().long()].reshape(4, 2, 8)
                                           * probs[..., None]).sum(1),
                         torch.randn(kept or 8, 8), torch.rand(4, 2))
        x = torch.randn(4, 8)
        self.assert_same(torch_npu.npu_moe_token_unpermute(*torch_npu.npu_moe_token_permute(x.npu(), experts.npu()), torch.full((4, 2), 0.5).npu()), x)

    def test_routing(self):
        x = torch.tensor([[0.1] * 4, [0.2] * 4, [0.3] * 4])
        scores = torch.randn(3, 5)
        y, experts, rows = torch_npu.npu_moe_gating_top_k_softmax(scores.npu(), None, 2)
        want, want_experts = scores.softmax(-1).topk(2)
        self.assert_same(y, want)
        self.assert_same(experts, want_experts.int())
        self.assertEqual(rows.tolist(), [[0, 3], [1, 4], [2, 5]])
        expanded, places, sorted_experts = torch_npu.npu_moe_init_routing(x.npu(), rows, experts, 3)
        self.assertEqual(sorted_experts.tolist(), sorted(want_experts.flatten().tolist()))
        back = torch_npu.npu_moe_finalize_routing(expanded, x.npu(), None, None, y, places, experts)
        self.assert_same(back, x + x * want.sum(1, keepdim=True))

    def test_grouped_products(self):
        x, w, b = torch.randn(6, 8), torch.randn(3, 8, 5), torch.randn(3, 5)
        rows = (slice(0, 2), slice(2, 2), slice(2, 6))
        want = torch.cat([x[part] @ w[i] + b[i] for i, part in enumerate(rows)])
        call = torch_npu.npu_grouped_matmul
        for sizes, kind in (([2, 2, 6], 0), ([2, 0, 4], 1)):
            options = {"group_list": torch.tensor(sizes).npu(), "group_list_type": kind, "group_type": 0, "split_item": 3}
            self.assert_same(call([x.npu()], [w.npu()], bias=[b.npu()], **options)[0], want)
            self.assert_same(call([x.npu()], [part.npu() for part in w], bias=[part.npu() for part in b], act_type=5, **options)[0],
                             functional.silu(want))
        pairs = [(torch.randn(3, 4), torch.randn(4, 2)), (torch.randn(2, 5), torch.randn(5, 7))]
        for found, (left, right) in zip(call([p.npu() for p, _ in pairs], [p.npu() for _, p in pairs], group_type=-1), pairs):
            self.assert_same(found, left @ right)
        gradient = torch.randn(6, 5)
        found, = call([x.t().npu()], [gradient.npu()], group_list=torch.tensor([2, 2, 6]).npu(), group_type=2, split_item=3)
        self.assert_same(found, torch.stack([x[part].t() @ gradient[part] for part in rows]))

    def test_integers(self):
        a, b = torch.randint(-9, 9, (6, 8), dtype=torch.int8), torch.randint(-9, 9, (8, 5), dtype=torch.int8)
        scale, tokens, bias = torch.rand(5), torch.rand(6), torch.randint(-9, 9, (5,), dtype=torch.int32)
        exact = a.long() @ b.long() + bias
        found = torch_npu.npu_quant_matmul(a.npu(), b.npu(), scale.npu(), pertoken_scale=tokens.npu(), bias=bias.npu(), output_dtype=torch.bfloat16)
        self.assert_same(found, (exact * scale.double() * tokens.double()[:, None]).bfloat16())
        for packed, offset in ((scale.npu(), torch.ones(5).npu()), (torch_npu.npu_trans_quant_param(scale.npu(), torch.ones(5).npu()), None)):
            found = torch_npu.npu_quant_matmul(a.npu(), b.npu(), packed, offset=offset, bias=bias.npu())
            self.assert_same(found, (exact * scale.double() + 1).round().clamp(-128, 127).to(torch.int8), rtol=0, atol=1)
        found, = torch_npu.npu_grouped_matmul([a.npu()], [torch.stack((b, -b)).npu()], scale=[torch.stack((scale, scale)).npu()],
                                              per_token_scale=[tokens.npu()], group_list=torch.tensor([2, 6]).npu(), group_type=0, split_item=3,
                                              output_dtype=torch.float16)
        signs = torch.tensor([1, 1, -1, -1, -1, -1])[:, None]
        self.assert_same(found, ((exact - bias) * signs * scale.double() * tokens.double()[:, None]).half())

    def test_dynamic_quantisation(self):
        x, smooth = torch.randn(2, 3, 8).to(HALF), torch.rand(8).to(HALF)
        y, scale = torch_npu.npu_dynamic_quant(x.npu(), smooth_scales=smooth.npu())
        want = x.float() * smooth.float()
        self.assertEqual((y.dtype, scale.dtype, scale.shape), (torch.int8, torch.float32, (2, 3)))
        torch.testing.assert_close(y.cpu() * scale.cpu()[..., None], want, rtol=0, atol=scale.max().item() / 2 * 1.001)
        self.assertEqual(y.cpu().abs().amax(-1).tolist(), [[127] * 3] * 2)
        groups = torch.stack((smooth, 2 * smooth))
        _, grouped = torch_npu.npu_dynamic_quant(x[0].npu(), smooth_scales=groups.npu(), group_index=torch.tensor([1, 3], dtype=torch.int32).npu())
        self.assert_same(grouped, scale[0].cpu() * torch.tensor([1.0, 2.0, 2.0]))
        y, scale, offset = torch_npu.npu_dynamic_quant_asymmetric(x.npu())
        torch.testing.assert_close((y.cpu() - offset.cpu()[..., None]) * scale.cpu()[..., None], x.float(), rtol=0, atol=scale.max().item())

    def test_a_step_of_adam_w(self):
        start, gradient = torch.randn(4, 3), torch.randn(4, 3)
        for maximize in (False, True):
            parameter = torch.nn.Parameter(start.clone())
            optimizer = torch.optim.AdamW([parameter], lr=0.1, betas=(0.9, 0.99), weight_decay=0.05, maximize=maximize)
            weights, m, v = start.npu(), torch.zeros(4, 3).npu(), torch.zeros(4, 3).npu()
            for step in range(3):
                parameter.grad = gradient * (step + 1)
                optimizer.step()
                results = torch_npu.npu_apply_adam_w(0.9**step, 0.99**step, 0.1, 0.05, 0.9, 0.99, 1e-8, (gradient * (step + 1)).npu(),
                                                     None, False, maximize, out=(weights, m, v))
            self.assertIs(results[0], weights)
            self.assert_same(weights, parameter)

    def test_what_is_missing_says_what_works(self):
        x = torch.ones(1, 3, 4, device=NPU)
        for call, message in ((lambda: torch_npu.npu_bmmV2(x, x.mT, []), "npu_bmmV2 runs on a card, but not with Portacl; torch.bmm works"),
                              (lambda: torch_npu.npu_iou(x[0], x[0]), "npu_iou runs on a card, .*missing: aclnnIou"),
                              (lambda: torch_npu.npu_fusion_attention(x, x, x, 1, "BSH", padding_mask=x),
                               "npu_fusion_attention with padding_mask or sink runs on a card, but not with Portacl; the call without works")):
            with self.assertRaisesRegex(NotImplementedError, message):
                call()
        self.assert_same(x + 1, torch.full((1, 3, 4), 2.0))


if __name__ == "__main__":
    unittest.main()
