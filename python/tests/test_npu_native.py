# SPDX-License-Identifier: Apache-2.0
"""Which operators run natively: those whose `aclnn` operators the toolkit exports, whatever these are."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from npu_case import NPU, NpuCase, run_python

import torch
from torch.nn import functional

from portacl import toolkit
from portacl.fallback import native

# An operator that the toolkit lacks, composed of one that it has.
NEW = """
int aclnnAbsGetWorkspaceSize(const void*, void*, unsigned long*, void**);
int aclnnAbs(void*, unsigned long, void*, void*);
int aclnnErfinvGetWorkspaceSize(const void* self, void* out, unsigned long* size, void** executor) {
  return aclnnAbsGetWorkspaceSize(self, out, size, executor);
}
int aclnnErfinv(void* workspace, unsigned long size, void* executor, void* stream) {
  return aclnnAbs(workspace, size, executor, stream);
}
"""


class Native(NpuCase):
    def setUp(self):
        torch.manual_seed(0)
        torch.npu.init()
        native.forget()

    def results(self, function, device, inputs):
        leaves = [value.detach().to(device).requires_grad_(value.is_floating_point()) for value in inputs]
        result = function(*leaves)
        if not result.requires_grad:
            return [result]
        return [result, *torch.autograd.grad(result.square().sum(), [leaf for leaf in leaves if leaf.requires_grad])]

    def test_everyday_operators(self):
        x, y = torch.rand(4, 6) + 0.5, torch.rand(4, 6) + 0.5
        names = torch.tensor([2, 0, 3])
        for wanted, function, *inputs in (
            ("add.Tensor", lambda a, b: a + b, x, y),
            ("add.Tensor", lambda a: a + 1, x),
            ("mul.Tensor", lambda a, b: a * b, x, y),
            ("mul.Tensor", lambda a: a * 2.5, x),
            ("div.Tensor", lambda a, b: a / b, x, y),
            ("pow.Tensor_Scalar", lambda a: a**3, x),
            ("add_.Tensor", lambda a, b: a.clone().add_(b, alpha=2), x, y),
            ("exp", torch.exp, x),
            ("log", torch.log, x),
            ("sqrt", torch.sqrt, x),
            ("tanh_backward", torch.tanh, x),
            ("sigmoid_backward", torch.sigmoid, x),
            ("silu", functional.silu, x),
            ("gelu_backward", functional.gelu, x),
            ("threshold_backward", functional.relu, x),
            ("leaky_relu_backward", functional.leaky_relu, x),
            ("clamp", lambda a: a.clamp(0.6, 0.9), x),
            ("where.self", lambda a, b: torch.where(a > b, a, b), x, y),
            ("gt.Tensor", lambda a, b: a > b, x, y),
            ("sum.dim_IntList", lambda a: a.sum(0), x),
            ("mean", lambda a: a.mean(), x),
            ("max.dim", lambda a: a.max(1).values, x),
            ("cumsum", lambda a: a.cumsum(1), x),
            ("sort", lambda a: a.sort(1).values, x),
            ("cat", lambda a, b: torch.cat([a, b]), x, y),
            ("stack", lambda a, b: torch.stack([a, b], 1), x, y),
            ("flip", lambda a: a.flip(0), x),
            ("index_select", lambda a, i: a.index_select(0, i), x, names),
            ("embedding", lambda a, i: functional.embedding(i, a), x, names),
            ("embedding", lambda a, i: functional.embedding(i[1], a), x, names),
            ("_softmax_backward_data", lambda a: a.softmax(1), x),
            ("_log_softmax_backward_data", lambda a: a.log_softmax(0), x),
            ("smooth_l1_loss_backward", functional.smooth_l1_loss, x, y),
            ("gelu.out", functional.gelu, x),    # the plug-in has no other form
        ):
            with self.subTest(operator=wanted):
                native.forget()
                got = self.results(function, NPU, inputs)
                ran, missing = native.outcomes()
                self.assertIn(wanted, ran)
                self.assertNotIn(wanted, missing)
                for npu, cpu in zip(got, self.results(function, "cpu", inputs)):
                    self.assert_same(npu, cpu)

    def test_gradients_of_convolutions(self):
        last = lambda tensor: tensor.contiguous(memory_format=torch.channels_last)
        for served, x, w, options in (
            (True, torch.randn(3, 9, 8, 7), torch.randn(12, 9, 3, 3), {"padding": 1}),
            (True, torch.randn(2, 9, 8, 7), last(torch.randn(12, 9, 3, 2)), {"stride": 2, "padding": (2, 1), "dilation": (1, 2)}),
            (True, last(torch.randn(2, 9, 8, 7)), torch.randn(5, 9, 1, 1), {}),
            (True, torch.randn(2, 9, 8, 7), torch.randn(5, 9, 1, 1), {"stride": 3}),
            (True, torch.randn(2, 9, 8, 7), torch.randn(5, 9, 1, 1), {"padding": 1}),
            (True, torch.randn(2, 8, 30), torch.randn(6, 8, 4), {"stride": 3, "padding": 2}),
            (True, torch.randn(2, 8, 9, 9).half(), torch.randn(4, 8, 3, 3).half(), {}),
            (True, torch.randn(2, 8, 9, 9).bfloat16(), torch.randn(4, 8, 3, 3).bfloat16(), {"stride": 2}),
            (False, torch.randn(2, 3, 8, 7), torch.randn(5, 3, 3, 3), {}),
            (False, torch.randn(1, 8, 40, 40), torch.randn(5, 8, 1, 1), {}),
            (False, torch.randn(2, 16, 8, 7), torch.randn(16, 8, 3, 3), {"groups": 2}),
            (False, torch.randn(2, 8, 4, 5, 6), torch.randn(4, 8, 2, 2, 2), {}),
        ):
            with self.subTest(x=tuple(x.shape), w=tuple(w.shape), dtype=x.dtype, **options):
                convolve = (None, None, None, functional.conv1d, functional.conv2d, functional.conv3d)[x.dim()]
                bias = torch.randn(w.shape[0], dtype=w.dtype)
                wanted, found = ([tensor.to(device).requires_grad_() for tensor in (x, w, bias)] for device in ("cpu", NPU))
                results = [convolve(*leaves, **options) for leaves in (wanted, found)]
                weights = torch.randn_like(results[0])
                results[0].backward(weights)
                waits = torch.ops.portacl.waits()
                gradients = torch.autograd.grad(results[1], found, weights.to(NPU))
                self.assertEqual(torch.ops.portacl.waits() == waits, served)
                tolerance = {torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}[x.dtype]
                for npu, leaf in zip(gradients, wanted):
                    self.assert_same(npu, leaf.grad, rtol=tolerance, atol=tolerance)
        x, w = torch.randn(2, 8, 5, 5, device=NPU, requires_grad=True), last(torch.randn(8, 8, 3, 3)).to(NPU).requires_grad_()
        gradient, = torch.autograd.grad(functional.conv2d(x, w).sum(), w)
        self.assertEqual(gradient.stride(), w.stride())
        twice = []
        for device in ("cpu", NPU):
            leaves = [tensor.detach().to(device).requires_grad_() for tensor in (x, w)]
            first = torch.autograd.grad(functional.conv2d(*leaves).square().sum(), leaves, create_graph=True)
            twice.append(torch.autograd.grad(sum(tensor.square().sum() for tensor in first), leaves))
        for npu, cpu in zip(twice[1], twice[0]):
            self.assert_same(npu, cpu, rtol=1e-4, atol=1e-2)

    def test_a_number_keeps_its_place_in_promotion(self):
        for dtype in (torch.int32, torch.float16, torch.float32):
            for x in (torch.tensor([1, 2, 3], dtype=dtype), torch.tensor(3, dtype=dtype)):
                for number in (2, 2.5, 70000.0):
                    self.assert_same(x.to(NPU) * number, x * number)
                    self.assert_same(number + x.to(NPU), number + x)

    def test_what_is_said_to_be_missing_is(self):
        x = torch.rand(4, 4, device=NPU)
        torch.erfinv(x), torch.trace(x), x.clone().erfinv_(), x @ x, x.cos(), x.to(torch.complex64).acos(), x.cumsum(0)
        self.assertLessEqual({"erfinv", "erfinv_", "trace", "cos", "acos"}, set(missing := native.outcomes()[1]))
        self.assertNotIn("cumsum", missing)
        library = ctypes.CDLL("libopapi.so")
        for operator, names in missing.items():
            for name in names:
                name, refused, _ = name.partition(" (561003)")
                self.assertEqual(hasattr(library, name), bool(refused), f"{operator}: {name}")

    def test_the_answer_is_kept_for_calls_of_one_kind(self):
        x = torch.rand(3, device=NPU)
        self.assert_same(x.to(torch.complex64).atan(), x.cpu().to(torch.complex64).atan())
        self.assertIn("atan", native.outcomes()[1])
        native.forget()
        self.assert_same(x.atan(), x.cpu().atan())
        self.assertIn("atan", native.outcomes()[0])

    def test_what_was_written_before_a_name_was_missed(self):
        seen = []

        def plugin(tensor, number):
            tensor.add_(100)
            if len(seen) < 2:
                raise RuntimeError("aclnnAnything or aclnnAnythingGetWorkspaceSize not found")
            return tensor

        def on_cpu(tensor, number):
            seen.append(tensor.tolist())
            return tensor.mul_(number)

        library = torch.library.Library("portacl_test", "DEF")
        library.define("grow_(Tensor(a!) self, Scalar number) -> Tensor(a!)")
        library.impl("grow_", plugin, "PrivateUse1")
        library.impl("grow_", on_cpu, "CPU")
        torch.ops.portacl.install_native_first(["portacl_test::grow_"])
        grow = torch.ops.portacl_test.grow_
        x = torch.ones(3, device=NPU)
        x.add_(1)
        for _ in range(2):
            self.assertIs(grow(x, 2.0), x)    # the second call of this kind goes straight to the CPU
        self.assertEqual(seen, [[2.0] * 3, [4.0] * 3])
        self.assertEqual(x.tolist(), [8.0] * 3)
        self.assertEqual(grow(x, True).tolist(), [108.0] * 3)  # calls of this kind run natively from now on
        seen.clear()
        with self.assertRaisesRegex(RuntimeError, "portacl_test::grow_ had written to its operands before .* lacks aclnnAnything"):
            grow(x, False)
        self.assertEqual(seen, [])
        self.assertEqual(grow(x, 2).tolist(), [416.0] * 3)  # the first call of another kind
        self.assertEqual(seen, [[208.0] * 3])

    def test_any_other_error_is_the_callers(self):
        x = torch.ones(3, device=NPU)
        for _ in range(3):
            with self.assertRaisesRegex(RuntimeError, "aclnnSmoothL1Loss: argument 'beta': expected .*got -1"):
                torch.ops.aten.smooth_l1_loss(x, x, 0, -1.0)
        self.assertEqual(native.outcomes()[1], {})

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_new_operator_needs_no_edit(self):
        program = "import portacl, torch; print(torch.erfinv(torch.tensor([-0.5, 0.25]).npu()).tolist())"
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder, "op_api", "lib")
            home.mkdir(parents=True)
            source = home / "new.c"
            source.write_text(NEW, encoding="ascii")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", home / "libcust_opapi.so", source, f"-L{toolkit.find()}/lib64", "-lopapi",
                            f"-Wl,-rpath-link,{toolkit.find()}/lib64"], check=True)
            run = run_python("-c", program, ASCEND_CUSTOM_OPP_PATH=folder)
        self.assertEqual(run.stdout, "[0.5, 0.25]\n", run.stderr)
        self.assertNotEqual(run_python("-c", program).stdout, run.stdout)


if __name__ == "__main__":
    unittest.main()
