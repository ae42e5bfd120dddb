#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""portacl.run on NumPy arrays and on objects with DLPack; needs no framework."""

import ctypes
import gc
import inspect
import subprocess
import sys
import threading
import unittest

import numpy as np

import portacl
from portacl import _arrays, _dlpack, _library, _values


def logit_grad(x, dy):
    return dy / (x * (1 - x))


class Producer:
    """An array that has only __dlpack__, like one of another library; `code` replaces the kind of its elements."""

    def __init__(self, array, code=None, device=1):
        self.array, self.code, self.device = array, code, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self):
        capsule = self.array.__dlpack__()
        if self.code is not None:
            _dlpack.DLTensor.from_address(_dlpack._get_pointer(capsule, b"dltensor")).code = self.code
        return capsule


def to_bfloat16(values):
    """The upper halves of float32 values whose lower halves are 0."""
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bfloat16(halves):
    return (halves.astype(np.uint32) << 16).view(np.float32)


class Results(unittest.TestCase):
    def test_an_output_is_made_by_the_operators_rules(self):
        x, dy = np.float32([[0.1, 0.2, 0.5]]), np.float32([[1, 2, 3]])
        dx = portacl.run("aclnnLogitGrad", x=x, dy=dy, eps=-1)
        np.testing.assert_allclose(dx, logit_grad(x, dy), rtol=3e-7)
        self.assertEqual((dx.dtype, dx.shape), (np.float32, (1, 3)))

    def test_names_order_and_functions_are_the_same_call(self):
        x, dy = np.float32([0.3, 0.7]), np.float32([1, 1])
        want = portacl.run("aclnnLogitGrad", dy=dy, eps=-1.0, x=x)
        np.testing.assert_array_equal(want, portacl.run("aclnnLogitGrad", x, dy, -1.0))
        np.testing.assert_array_equal(want, portacl.aclnnLogitGrad(x, dy, eps=-1.0))

    def test_a_given_output_is_written_and_returned(self):
        x = np.float32([0.25, 0.5])
        out = np.zeros(2, np.float32)
        self.assertIs(portacl.aclnnLogit(x, -1.0, out=out), out)
        np.testing.assert_allclose(out, np.log(x / (1 - x)), rtol=1e-6)

    def test_a_prepared_call_is_repeated_on_the_same_arrays(self):
        counter = np.zeros(3, np.float32)
        prepared = portacl.prepare("aclnnInplaceAdds", counter, 1, 1)
        self.assertEqual(counter.tolist(), [0, 0, 0])
        prepared()
        prepared(4)
        self.assertEqual(counter.tolist(), [5, 5, 5])
        self.assertIs(prepared.results, counter)

    def test_a_prepared_call_fails_when_it_is_done(self):
        prepared = portacl.prepare("aclnnLogitGrad", np.ones(4, np.float32), np.ones(3, np.float32), -1.0, out=np.ones(4, np.float32))
        with self.assertRaisesRegex(portacl.Error, "argument 'dy'"):
            prepared()

    def test_half_along_an_axis(self):
        x = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float16)
        out = portacl.aclnnSwiGlu(x, dim=-1)
        a, b = x[:, :4].astype(np.float64), x[:, 4:].astype(np.float64)
        self.assertEqual((out.shape, out.dtype), ((3, 4), np.float16))
        np.testing.assert_allclose(out, a / (1 + np.exp(-a)) * b, rtol=2e-3, atol=1e-4)

    def test_reduction_to_a_number(self):
        a, b = np.float32([[1, 2]]), np.float32([[0], [4]])
        mean = portacl.aclnnSmoothL1Loss(self=a, target=b, reduction=1, beta=1.0)
        self.assertEqual(mean.shape, ())
        self.assertAlmostEqual(float(mean), (0.5 + 1.5 + 2.5 + 1.5) / 4, places=6)

    def test_several_outputs_have_names_and_a_room_may_shape_them(self):
        log_probs = np.log(np.full((5, 2, 3), 1 / 3, np.float32))
        targets = np.int64([[1, 2], [2, 0]])
        results = portacl.aclnnCtcLoss(log_probs, targets, [5, 4], np.array([2, 1]), blank=0, zeroInfinity=False)
        self.assertEqual(results._fields, ("negLogLikelihoodOut", "logAlphaOut"))
        self.assertEqual((results.negLogLikelihoodOut.shape, results.logAlphaOut.shape), ((2,), (2, 5, 5)))
        # Those of the 81 paths of four steps that collapse to a single 2: one run of it, with blanks before and after.
        self.assertAlmostEqual(float(results.negLogLikelihoodOut[1]), -np.log(10 / 81), places=5)
        one = portacl.aclnnCtcLoss(log_probs[:, 0], targets[0], [5], [2], 0, False)
        self.assertEqual((one.negLogLikelihoodOut.shape, one.logAlphaOut.shape), ((), (1, 5, 5)))
        self.assertEqual(float(one.negLogLikelihoodOut), float(results.negLogLikelihoodOut[0]))

    def test_lists_are_written(self):
        x = [np.float32([1, 2]), np.float32([[3]])]
        out = [np.zeros_like(one) for one in x]
        self.assertIs(portacl.aclnnForeachMulScalar(x, np.float32([2]), out=out)[1], out[1])
        np.testing.assert_array_equal(out[0], [2, 4])

    def test_images_have_a_format_that_the_operator_takes(self):
        out = portacl.aclnnUpsampleNearest2d(np.float32([[[[1, 2]]]]), outputSize=[2, 4])
        np.testing.assert_array_equal(out, [[[[1, 1, 2, 2], [1, 1, 2, 2]]]])

    def test_empty_arrays(self):
        self.assertEqual(portacl.aclnnLogit(np.empty((0, 3), np.float32), -1).shape, (0, 3))

    def test_every_operator_says_what_it_misses(self):
        for name, description in portacl.operators().items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"{name} needs '{description['arguments'][0]['name']}'"):
                portacl.run(name)


class Memory(unittest.TestCase):
    """Shows whether elements are copied, by the address that the library gets."""

    def operand(self, array, is_written=False):
        return _arrays.Operand("x", array, is_written)

    def assert_in_place(self, array):
        self.assertEqual(self.operand(array).tensor.data, array.ctypes.data)

    def test_views_are_used_as_they_lie(self):
        base = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        for view in (base, base[1:, ::2, 1:], base.transpose(2, 0, 1), np.broadcast_to(base[0, 0], (7, 5)), base[2, 3, 4:]):
            self.assert_in_place(view)

    def test_views_give_the_right_numbers(self):
        random = np.random.default_rng(1)
        base = random.uniform(0.1, 0.9, (6, 8, 4)).astype(np.float32)
        fields = np.zeros(5, [("tag", np.int8), ("value", np.float32)])  # packed: neither aligned nor with a stride of whole elements
        fields["value"] = base[0, :5, 0]
        views = {
            "slice": base[::2, 1:, :3], "transposed": base.T, "broadcast": np.broadcast_to(base[0, 0], (3, 4)), "backwards": base[::-1],
            "big endian": base.astype(">f4"), "packed": fields["value"], "number": base[0, 0, 0],
        }  # fmt: skip
        for name, view in views.items():
            with self.subTest(name):
                want = portacl.aclnnLogit(np.ascontiguousarray(view, np.float32), -1)
                np.testing.assert_array_equal(portacl.aclnnLogit(view, -1).reshape(want.shape), want)

    def test_outputs_may_be_any_view(self):
        x = np.linspace(0.1, 0.9, 6, dtype=np.float32)
        want = portacl.aclnnLogit(x, -1)
        for out in (np.zeros((6, 2), np.float32)[:, 1], np.zeros(6, np.float32)[::-1], np.zeros(6, ">f4")):
            self.assertIs(portacl.aclnnLogit(x, -1, out=out), out)
            np.testing.assert_array_equal(out, want)

    def test_a_read_only_output_is_refused(self):
        out = np.zeros(2, np.float32)
        out.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "argument 'out': expected an array that may be written"):
            portacl.aclnnLogit(np.float32([0.1, 0.2]), -1, out=out)


class DLPack(unittest.TestCase):
    def test_memory_of_another_library_is_used_in_place(self):
        array = np.linspace(0.1, 0.9, 12, dtype=np.float32).reshape(3, 4)
        for view in (array, array.T, array[1:, ::2]):
            np.testing.assert_array_equal(portacl.aclnnLogit(Producer(view), -1), portacl.aclnnLogit(view, -1))
            self.assertEqual(_arrays.Operand("x", Producer(view), False).tensor.data, view.ctypes.data)

    def test_an_output_of_another_library(self):
        x, out = np.float32([0.25, 0.5]), np.zeros(2, np.float32)
        producer = Producer(out)
        self.assertIs(portacl.aclnnLogit(x, -1, out=producer), producer)
        np.testing.assert_array_equal(out, portacl.aclnnLogit(x, -1))

    def test_bfloat16(self):
        x, out = to_bfloat16([0.25, 0.5, 0.75]), np.zeros(3, np.uint16)
        portacl.aclnnLogit(Producer(x, code=4), -1, out=Producer(out, code=4))
        np.testing.assert_allclose(from_bfloat16(out), np.log([1 / 3, 1, 3]), rtol=2**-8)

    def test_bfloat16_needs_somewhere_to_go(self):
        call = lambda: portacl.aclnnLogit(Producer(to_bfloat16([0.5]), code=4), -1)
        try:
            import ml_dtypes
        except ImportError:
            with self.assertRaisesRegex(TypeError, "argument 'out': NumPy has no bfloat16: install ml_dtypes"):
                call()
        else:
            self.assertEqual(call().dtype, ml_dtypes.bfloat16)
            self.assertEqual(portacl.aclnnLogit(np.array([0.5], ml_dtypes.bfloat16), -1).dtype, ml_dtypes.bfloat16)

    def test_exports_are_given_back(self):
        array = np.float32([0.5])
        before = sys.getrefcount(array)
        portacl.aclnnLogit(Producer(array), -1)
        gc.collect()
        self.assertEqual(sys.getrefcount(array), before)

    def test_other_devices_and_odd_elements_are_refused(self):
        x = np.float32([0.5])
        with self.assertRaisesRegex(TypeError, "argument 'input': expected an array in the memory of the host"):
            portacl.aclnnLogit(Producer(x, device=2), -1)
        with self.assertRaisesRegex(TypeError, "argument 'input': no operator takes elements of DLPack's code 9"):
            portacl.aclnnLogit(Producer(x, code=9), -1)


class Errors(unittest.TestCase):
    x = np.float32([0.1, 0.2, 0.3])

    def fails(self, kind, text, *arguments, **named):
        with self.assertRaises(kind) as caught:
            portacl.run(*arguments, **named)
        self.assertEqual(str(caught.exception), text)
        return caught.exception

    def test_the_library_refuses_in_its_own_words(self):
        error = self.fails(portacl.Error, "aclnnLogitGrad: argument 'dy': expected [3] (shape of 'x'), got [2] (status 161002)",
                           "aclnnLogitGrad", self.x, self.x[:2], -1)  # fmt: skip
        self.assertEqual((error.code, error.operator), (161002, "aclnnLogitGrad"))
        self.assertIsInstance(error, RuntimeError)
        error = self.fails(portacl.Error, "aclnnLogit: argument 'input': expected one of FLOAT, FLOAT16, BFLOAT16 on Ascend910B, got DOUBLE "
                           "(status 161002)", "aclnnLogit", np.zeros(2), -1)  # fmt: skip

    def test_a_thread_fails_with_its_own_message(self):
        messages = {}

        def work(size):
            for _ in range(50):
                try:
                    portacl.aclnnLogitGrad(self.x, np.zeros(size, np.float32), -1)
                except portacl.Error as error:
                    messages.setdefault(size, set()).add(str(error))

        threads = [threading.Thread(target=work, args=(size,)) for size in (4, 5, 6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual({size: len(texts) for size, texts in messages.items()}, {4: 1, 5: 1, 6: 1})
        for size, texts in messages.items():
            self.assertIn(f"got [{size}]", texts.pop())

    def test_misspelt_names(self):
        self.fails(ValueError, "unknown operator 'aclnnLogitGard' (did you mean 'aclnnLogitGrad'?)", "aclnnLogitGard")
        self.fails(ValueError, "unknown operator 'relu' (did you mean 'aclnnRelu'?)", "relu")
        self.fails(TypeError, "aclnnLogit has no argument 'esp' (did you mean 'eps'?)", "aclnnLogit", self.x, esp=-1)
        with self.assertRaisesRegex(AttributeError, "no operator 'aclnnSwiglu' \\(did you mean 'aclnnSwiGlu'\\?\\)"):
            portacl.aclnnSwiglu
        with self.assertRaises(AttributeError):
            portacl.logit

    def test_arguments_that_do_not_fit(self):
        self.fails(TypeError, "aclnnLogit needs 'eps': a number", "aclnnLogit", self.x)
        self.fails(TypeError, "aclnnLogit takes 2 arguments without a name, got 3", "aclnnLogit", self.x, -1, self.x)
        self.fails(TypeError, "aclnnLogit: argument 'input' is given twice", "aclnnLogit", self.x, -1, input=self.x)
        self.fails(TypeError, "aclnnLogit: argument 'eps': expected a number, got str 'a'", "aclnnLogit", self.x, "a")
        self.fails(TypeError, "aclnnSwiGlu: argument 'dim': expected an integer, got float 1.5", "aclnnSwiGlu", self.x, 1.5)
        self.fails(TypeError, "aclnnSwiGlu: argument 'dim': expected an integer, got int 9223372036854775808", "aclnnSwiGlu", self.x, 2**63)
        self.fails(TypeError, "aclnnLogit: argument 'input': expected an array of NumPy's or one that has __dlpack__, got list",
                   "aclnnLogit", [0.5], -1)  # fmt: skip
        self.fails(TypeError, "aclnnLogit: argument 'input': no operator takes elements of NumPy's <U1", "aclnnLogit", np.array(["a"]), -1)
        self.fails(TypeError, "aclnnCtcLoss: argument 'inputLengths': expected a list of integers, got str '12'",
                   "aclnnCtcLoss", self.x, self.x, "12", [1], 0, False)  # fmt: skip
        self.fails(TypeError, "aclnnCtcLoss: argument 'zeroInfinity': expected True or False, got int 2",
                   "aclnnCtcLoss", self.x, self.x, [1], [1], 0, 2)  # fmt: skip


class Kinds(unittest.TestCase):
    """Kinds of arguments that no operator uses yet must reach the library correctly."""

    def filled(self, kind, value):
        slot = _library.Argument()
        _values.fill(slot, "a", kind, value)
        self.assertEqual(slot.given, 1)
        return slot

    def test_numbers(self):
        self.assertEqual((self.filled("scalar", 3).real, self.filled("scalar", 3).is_whole), (3.0, 1))
        self.assertEqual((self.filled("scalar", np.float32(1.5)).real, self.filled("scalar", 1.5).is_whole), (1.5, 0))
        self.assertEqual(self.filled("int8", np.int16(-128)).integer, -128)
        self.assertEqual(self.filled("bool", np.bool_(True)).integer, 1)
        self.assertEqual(self.filled("string", "mean").text, b"mean")
        for kind, value in (("int8", 128), ("int32", 1 << 31), ("bool", np.int64(2)), ("double", True), ("string", b"x"), ("int64", "1")):
            with self.assertRaises(TypeError):
                self.filled(kind, value)

    def test_dtypes(self):
        for value in ("float16", np.float16, np.dtype("float16"), "torch.float16"):
            self.assertEqual(self.filled("dtype", value).integer, 1)
        with self.assertRaises(TypeError):
            self.filled("dtype", "half a float")

    def test_lists(self):
        slot = self.filled("int array", np.array([1, -2]))
        self.assertEqual((slot.integers[: slot.count], slot.count), ([1, -2], 2))
        self.assertEqual(self.filled("int array", ()).count, 0)
        slot = self.filled("bool array", [True, False, np.True_])
        self.assertEqual(slot.integers[: slot.count], [1, 0, 1])
        slot = self.filled("list of scalars", [1, 2.5])
        self.assertEqual((slot.reals[: slot.count], slot.is_whole), ([1.0, 2.5], 0))


class Documentation(unittest.TestCase):
    def test_signatures_are_those_of_the_schemas(self):
        self.assertEqual(str(inspect.signature(portacl.aclnnLogitGrad)), "(x, dy, eps, *, out=None)")
        self.assertEqual(str(inspect.signature(portacl.aclnnCtcLoss)),
                         "(logProbs, targets, inputLengths, targetLengths, blank, zeroInfinity, *, negLogLikelihoodOut=None, logAlphaOut=None)")
        for name in portacl.operators():
            function = getattr(portacl, name)
            self.assertEqual((function.__name__, function.__module__), (name, "portacl"))
            inspect.signature(function)

    def test_docstrings_say_what_the_schema_says(self):
        text = portacl.aclnnLogitGrad.__doc__
        for part in ("dy / (x * (1 - x))", "eps                  double, attribute", "Ascend910B     FLOAT, FLOAT16, BFLOAT16",
                     "161002  dy: shape that of x", "Accuracy: ", "Source: "):  # fmt: skip
            self.assertIn(part, text)

    def test_operators_are_listed(self):
        self.assertIn("aclnnCtcLoss", dir(portacl))
        self.assertIn("run", dir(portacl))
        self.assertEqual(portacl.operators()["aclnnLogit"]["arguments"][1]["name"], "eps")


class Process(unittest.TestCase):
    def test_threads_compute_at_the_same_time(self):
        random = np.random.default_rng(2)
        inputs = [random.uniform(0.01, 0.99, size).astype(np.float32) for size in (10, 1000, 100_000, 300_000)]
        wants = [portacl.aclnnLogit(x, -1) for x in inputs]
        wrong = []

        def work():
            for _ in range(20):
                for x, want in zip(inputs, wants):
                    if not np.array_equal(portacl.aclnnLogit(x, -1), want):
                        wrong.append(len(x))

        threads = [threading.Thread(target=work) for _ in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(wrong, [])

    def python(self, text):
        return subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, timeout=120, check=False)

    def test_nothing_is_left_at_exit(self):
        run = self.python("""if True:
            import threading, numpy, portacl
            x = numpy.full(1 << 20, 0.25, numpy.float32)
            thread = threading.Thread(target=lambda: portacl.aclnnLogit(x, -1))
            thread.start(); thread.join()
            print(portacl.aclnnLogit(x, -1)[0])""")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertAlmostEqual(float(run.stdout), np.log(1 / 3), places=6)

    def test_an_import_loads_nothing_of_this(self):
        run = self.python("""if True:
            import sys, portacl
            print('numpy' in sys.modules, 'libportacl_python' in open('/proc/self/maps').read())""")
        self.assertEqual(run.stdout, "False False\n", run.stderr)

    def test_without_a_toolkit_the_places_are_named(self):
        run = self.python("""if True:
            import pathlib, portacl.toolkit
            portacl.toolkit._PACKAGE = pathlib.Path("/nowhere/python/portacl")
            portacl.toolkit.os.environ["PORTACL_TOOLKIT"] = "/not/here"
            portacl.toolkit.find()""")
        self.assertIn("FileNotFoundError: no toolkit in /nowhere/python/portacl/toolkit, /not/here, /nowhere/build/toolkit", run.stderr)


class Layout(unittest.TestCase):
    def test_structures_are_those_of_the_header(self):
        self.assertEqual(ctypes.sizeof(_library.Tensor), 8 + 4 + 4 + 2 * 8 * 64)
        self.assertEqual(ctypes.sizeof(_library.Argument), 4 + 4 + 8 * 7)


if __name__ == "__main__":
    unittest.main()
