# SPDX-License-Identifier: Apache-2.0
"""Operators that the toolkit lacks: run on the CPU, on the memory of the npu tensors."""

import unittest
import warnings

from npu_case import NPU, NpuCase

import torch
from torch import nn
from torch.nn import functional

from portacl.fallback import native


class Fallback(NpuCase):
    def setUp(self):
        torch.manual_seed(0)

    def both(self, function, *inputs, exact=False, **tolerances):
        """Checks results of `function`, and the gradients of all floating-point inputs, against the CPU; with `exact`, against its float64."""
        outcomes = []
        for device in (NPU, torch.device("cpu")):
            torch.manual_seed(1)
            dtype = torch.float64 if exact and device.type == "cpu" else None
            arguments = [value.detach().to(device, dtype) if isinstance(value, torch.Tensor) else value for value in inputs]
            leaves = [value.requires_grad_() for value in arguments if isinstance(value, torch.Tensor) and value.is_floating_point()]
            result = function(*arguments)
            gradients = torch.autograd.grad(result.square().sum(), leaves) if result.requires_grad else ()
            outcomes.append([value.to(inputs[0].dtype) for value in (result, *gradients)] if exact else [result, *gradients])
        for npu, cpu in zip(*outcomes):
            self.assert_same(npu, cpu, **tolerances)

    def test_tensors_go_there_and_back(self):
        dtypes = (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64,
                  torch.uint8, torch.bool, torch.complex64, torch.complex128)
        for dtype in dtypes:
            x = torch.arange(24).reshape(4, 6).to(dtype)
            for view in (x, x.t(), x[1:, ::2], x[0, 0], x[:0], x[:, :1].expand(4, 5)):
                with self.subTest(dtype=dtype, shape=view.shape):
                    self.assert_same(view.to(NPU), view)
                    self.assert_same(x.to(NPU)[1:, 2:], x[1:, 2:])
        self.assertEqual(torch.tensor([1.5], device=NPU).item(), 1.5)
        self.assertEqual(torch.arange(3, device=NPU).tolist(), [0, 1, 2])

    def test_a_cpu_tensor_stands_over_npu_memory(self):
        for half in (lambda t: t.t()[1:], lambda t: t[:, ::2], lambda t: torch._neg_view(t)[0]):
            x, want = torch.full((3, 4), 0.5, device=NPU), torch.full((3, 4), 0.5)
            view = half(x)
            self.assertIs(view.erfinv_(), view)
            half(want).erfinv_()
            self.assert_same(x, want)
        z = torch.tensor([0.1 + 0.2j])
        for lazy in (lambda t: t.conj(), lambda t: torch._neg_view(t), lambda t: torch._neg_view(t).conj()):
            self.assert_same(lazy(z.to(NPU)).acos(), lazy(z).acos())
            self.assert_same(lazy(z.to(NPU)).imag.erfinv(), lazy(z).imag.erfinv())
        self.assertLessEqual({"erfinv", "erfinv_", "acos"}, set(native.outcomes()[1]))    # the CPU computed them

    def test_forms(self):
        x, y = torch.rand(4, 5), torch.rand(4, 5)
        self.both(lambda a, b: (a + 1) * b - a / b, x, y)
        self.both(lambda a, b: torch.where(a > b, a, b).sum(0), x, y)
        self.both(lambda a: a.clone().mul_(2).add_(a).t()[1:], x)
        self.both(lambda a, b: torch.cat([a, b]).sort(0).values, x, y)
        self.both(lambda a: functional.softmax(a @ a.t(), -1), x)
        self.both(lambda a: torch.einsum("ij,kj->ik", a, a).logsumexp(1), x)
        self.both(lambda a: a[a > 0.5], x)
        self.both(lambda a: a[torch.tensor([0, 2], device=a.device)].masked_fill(a[:2] > 0.5, 3.0), x)
        self.both(lambda a: torch.copysign(a, -2.0), x)
        self.both(lambda a: torch.fft.irfft(torch.fft.rfft(a)), x)
        self.both(lambda a: torch.linalg.svdvals(a), x)

    def test_out_tensors_grow_and_keep_their_memory(self):
        x = torch.rand(3, 4).to(NPU)
        for out in (torch.empty(0, device=NPU), torch.empty(3, 4, device=NPU), torch.empty(24, device=NPU)[::2].view(3, 4)):
            address = out.data_ptr()
            result = torch.exp(x, out=out)
            self.assertIs(result, out)
            self.assert_same(out, x.cpu().exp())
            if address:
                self.assertEqual(out.data_ptr(), address)
        for function in (torch.erfinv, torch.exp, lambda t, out: torch.masked_select(t, t > 0.5, out=out)):
            want, out = torch.empty(30), torch.empty(30, device=NPU)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")    # the CPU warns that it shrinks `out`
                function(x.cpu(), out=want), function(x, out=out)
            self.assert_same(out, want)
        values, indices = torch.empty(0, device=NPU), torch.empty(0, dtype=torch.int64, device=NPU)
        torch.max(x, 1, out=(values, indices))
        self.assert_same(indices, x.cpu().max(1).indices)

    def test_out_tensors_in_a_list_grow_and_keep_their_memory(self):
        x = torch.rand(4, 6)
        for shapes in (((0,), (0,)), ((1, 6), (0,)), ((1, 6), (3, 6)), ((2, 6), (2, 3)), ((9, 6), (5, 9))):
            outs = [[torch.empty(shape, device=device) for shape in shapes] for device in ("cpu", NPU)]
            enough = [(out, out.data_ptr()) for out in outs[1] if out.numel() >= 18]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")    # the CPU warns that it resizes
                for out, source in zip(outs, (x, x.to(NPU))):
                    torch.split_with_sizes_copy(source, [1, 3], out=out)
            for want, got in zip(*outs):
                self.assert_same(got, want)
            self.assertEqual([out.data_ptr() for out, _ in enough], [address for _, address in enough])

    def test_the_second_result_of_triangular_solve_is_its_argument(self):
        b, a = torch.randn(2, 3, 4), torch.randn(3, 3) + 3 * torch.eye(3)
        for flags in ((True, False, False), (False, True, False), (True, False, True)):
            want = torch.triangular_solve(b, a, *flags)
            for outs in ((torch.empty(2, 3, 4), torch.empty(2, 3, 3)), (torch.empty(0), torch.empty(0)), None):
                out = {"out": tuple(one.to(NPU) for one in outs)} if outs else {}
                got = torch.triangular_solve(b.to(NPU), a.to(NPU), *flags, **out)
                self.assert_same(got[0], want[0])
                self.assert_same(got[1], a.expand(2, 3, 3), rtol=0, atol=0)

    def test_layers(self):
        self.both(lambda x, w, b: functional.conv2d(x, w, b, padding=1), torch.rand(2, 3, 6, 6), torch.rand(4, 3, 3, 3), torch.rand(4))
        self.both(lambda x, w: functional.conv_transpose1d(x, w), torch.rand(2, 3, 6), torch.rand(3, 4, 3))
        self.both(lambda x: functional.layer_norm(x, (8,)), torch.rand(4, 8), exact=True)
        self.both(lambda x: functional.dropout(x, 0.5), torch.rand(64))
        self.both(lambda x: functional.max_pool2d(x.contiguous(memory_format=torch.channels_last), 2), torch.rand(1, 2, 4, 4))
        self.both(lambda q: functional.scaled_dot_product_attention(q, q, q, is_causal=True), torch.rand(2, 3, 5, 8))
        self.both(lambda x: functional.cross_entropy(x, torch.tensor([1, 0, 2], device=x.device)), torch.rand(3, 4))
        self.both(lambda w: functional.embedding_bag(torch.tensor([[1, 2], [0, 3]], device=w.device), w), torch.rand(5, 4))

    def test_images_are_pooled_in_either_format(self):
        for channels in (3, 8, 17):
            for form in (torch.contiguous_format, torch.channels_last):
                x = torch.randn(2, channels, 7, 9).contiguous(memory_format=form)
                want, got = (functional.max_pool2d(of.clone(), 3, 2, 1, return_indices=True) for of in (x, x.to(NPU)))
                for left, right in zip(got, want):
                    self.assert_same(left, right, rtol=0, atol=0)
                    self.assertEqual(left.stride(), right.stride())

    def test_running_statistics_are_updated(self):
        npu, cpu = nn.BatchNorm1d(5).to(NPU), nn.BatchNorm1d(5)
        x = torch.randn(8, 5)
        npu(x.to(NPU)), cpu(x)
        self.assert_same(npu.running_mean, cpu.running_mean)
        self.assert_same(npu.running_var, cpu.running_var)
        self.assertEqual(npu.num_batches_tracked.item(), 1)

    def test_recurrent_layers(self):
        for layer in (nn.LSTM(3, 4, bidirectional=True), nn.GRU(3, 4, num_layers=2), nn.RNN(3, 4)):
            x = torch.randn(6, 2, 3)
            lengths = torch.tensor([6, 4])
            outcomes = []
            for device in (torch.device("cpu"), NPU):
                layer.to(device).zero_grad()
                packed = nn.utils.rnn.pack_padded_sequence(x.to(device), lengths)
                self.assertEqual(packed.batch_sizes.device.type, "cpu")
                output, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0])
                output.square().sum().backward()
                outcomes.append([output.detach().cpu(), layer.weight_hh_l0.grad.cpu().clone()])
            for cpu, npu in zip(*outcomes):
                torch.testing.assert_close(npu, cpu)
        for cell in (nn.LSTMCell(3, 4), nn.GRUCell(3, 4)):
            x = torch.randn(2, 3)
            want = cell(x)
            got = cell.to(NPU)(x.to(NPU))
            torch.testing.assert_close(got[0].cpu(), want[0])

    def test_dtypes_that_the_cpu_lacks(self):
        x = torch.tensor([1, 2, 2, 5], dtype=torch.int32)
        for _ in range(2):    # the second call already knows that the CPU's kernel lacks the dtype
            self.assert_same(torch.histc(x.to(NPU), 4, 1, 5), torch.tensor([1, 2, 0, 1], dtype=torch.int32))
        x = torch.rand(1, 1, 4, 4, 4, dtype=torch.float16)
        self.assert_same(functional.avg_pool3d(x.to(NPU), 2), functional.avg_pool3d(x.float(), 2).half())
        with self.assertRaisesRegex(RuntimeError, "Unknown Complex ScalarType"):    # other errors go to the caller
            torch.linalg.eigvals(torch.ones(2, 2, dtype=torch.int32, device=NPU))

    def test_random_numbers_are_those_of_the_cpu(self):
        for draw in (torch.rand, torch.randn):
            torch.manual_seed(3)
            want = draw(5)
            torch.manual_seed(3)
            self.assert_same(draw(5, device=NPU), want)
        generator = torch.Generator(device=NPU).manual_seed(3)
        first, second = (torch.rand(5, device=NPU, generator=generator) for _ in range(2))
        torch.manual_seed(3)
        self.assert_same(first, torch.rand(5))
        self.assertFalse(torch.equal(first, second))
        generator.manual_seed(3)
        torch.rand(5, device=NPU, generator=generator)
        self.assert_same(torch.rand(5, device=NPU, generator=generator), second.cpu())

    def test_random_numbers_have_a_state_of_their_own(self):
        def draw():
            x = torch.ones(4, 4, device=NPU)
            return [torch.rand(4, device=NPU), torch.randn_like(x), functional.dropout(x), torch.randperm(9, device=NPU), x.bernoulli_(0.5),
                    nn.LSTM(4, 4, 2, dropout=0.5, device=NPU)(x)[0].detach(), functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5)]

        torch.manual_seed(5)
        on_cpu = torch.rand(3)
        torch.manual_seed(5)
        first, state = draw(), torch.npu.get_rng_state()
        self.assert_same(torch.rand(3, device="cpu").to(NPU), on_cpu)    # the CPU's random sequence must not change
        second = draw()
        torch.npu.set_rng_state(state)
        torch.rand(100)
        for one, same, other in zip(second, draw(), first):
            self.assert_same(same, one.cpu())
            self.assertFalse(torch.equal(one, other))
        torch.npu.manual_seed(5)
        for one, same in zip(first, draw()):
            self.assert_same(same, one.cpu())

    def test_what_drops_nothing_draws_nothing(self):
        x = torch.ones(4, 4, device=NPU)
        model = nn.LSTM(4, 4, 2, dropout=0.5, device=NPU)
        for gradients in (False, True):
            with torch.set_grad_enabled(gradients):
                state = torch.npu.get_rng_state()
                functional.scaled_dot_product_attention(x, x, x)
                model.eval()(x)
                functional.dropout(x, training=False)
                self.assertTrue(torch.equal(torch.npu.get_rng_state(), state))
                model.train()(x)
                self.assertFalse(torch.equal(torch.npu.get_rng_state(), state))

    def test_the_cpus_stream_goes_on(self):
        for draw in (torch.rand, torch.randn):
            torch.manual_seed(4)
            draw(3)
            want = [draw(5) for _ in range(2)]    # an odd number of normal values: half a pair is left
            torch.manual_seed(4)
            draw(3)
            found = []
            for _ in want:
                torch.randn(3, device=NPU), functional.dropout(torch.ones(9, device=NPU))
                found.append(draw(5))
            self.assertEqual([one.tolist() for one in found], [one.tolist() for one in want])

    def test_optimisers_train(self):
        x, y = torch.randn(32, 4), torch.randn(32, 2)
        for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop):
            losses = []
            for device in (torch.device("cpu"), NPU):
                torch.manual_seed(2)
                model = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 2)).to(device)
                optimiser = make(model.parameters(), lr=0.01)
                for _ in range(5):
                    optimiser.zero_grad()
                    loss = functional.smooth_l1_loss(model(x.to(device)), y.to(device))
                    loss.backward()
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimiser.step()
                losses.append(loss.item())
            self.assertAlmostEqual(*losses, places=5, msg=make.__name__)

    def test_tensors_of_other_layouts_are_refused_in_a_sentence(self):
        mask = torch.ones(1, 3, dtype=torch.bool, device=NPU)
        for make in (lambda: torch.eye(3, device=NPU).to_sparse(), lambda: torch._nested_tensor_from_mask(torch.ones(1, 3, 2, device=NPU), mask),
                     lambda: torch.quantize_per_tensor(torch.ones(3, device=NPU), 0.1, 0, torch.qint8)):
            with self.assertRaisesRegex(NotImplementedError, r"^Portacl has no sparse, nested and quantised tensors on npu \(\w.*\); those of"):
                make()

    def test_padded_sentences_go_through_an_encoder(self):
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
        x, padding = torch.randn(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        with torch.no_grad():
            want = encoder(x, src_key_padding_mask=padding)
            got = encoder.to(NPU)(x.to(NPU), src_key_padding_mask=padding.to(NPU))
        self.assert_same(got[~padding.to(NPU)], want[~padding])

    def test_the_second_order_exists(self):
        x = torch.rand(5)
        results = []
        for device in (NPU, torch.device("cpu")):
            leaf = x.detach().to(device).requires_grad_()
            first, = torch.autograd.grad((leaf.exp() * leaf.sin()).sum(), leaf, create_graph=True)
            results.append(torch.autograd.grad(first.square().sum(), leaf)[0])
        self.assert_same(*results)


if __name__ == "__main__":
    unittest.main()
