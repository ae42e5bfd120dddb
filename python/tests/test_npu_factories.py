# SPDX-License-Identifier: Apache-2.0
"""Functions that create tensors: on "npu" with the same dtypes, shapes, strides and values as on the CPU, also without an explicit dtype."""

import unittest
import warnings

from npu_case import NPU, NpuCase

import torch

WINDOWS = "hann hamming blackman bartlett kaiser".split()
SIGNAL_WINDOWS = "bartlett blackman cosine exponential gaussian general_hamming hamming hann kaiser nuttall".split()


def factories():
    """(name, function of the device and of further options) for each; some accept no dtype."""
    scalar = torch.tensor
    yield from {
        "empty": lambda d, **o: torch.empty(0, 3, device=d, **o),
        "empty_strided": lambda d, **o: torch.empty_strided((2, 0), (1, 2), device=d, **o),
        "zeros": lambda d, **o: torch.zeros(3, device=d, **o),
        "ones": lambda d, **o: torch.ones(2, 3, device=d, **o),
        "full of a float": lambda d, **o: torch.full((3,), 1.5, device=d, **o),
        "full of an integer": lambda d, **o: torch.full((3,), 2, device=d, **o),
        "full of a bool": lambda d, **o: torch.full((3,), True, device=d, **o),
        "full of a complex": lambda d: torch.full((3,), 1 + 2j, device=d),
        "full_like": lambda d, **o: torch.full_like(torch.ones(2, dtype=torch.int32, device=d), 2, **o),
        "new_full": lambda d, **o: torch.ones(2, device=d).new_full((3,), 2, **o),
        "new_tensor": lambda d, **o: torch.ones(2, device=d).new_tensor([1, 2], **o),
        "new_zeros": lambda d, **o: torch.ones(2, dtype=torch.int16, device=d).new_zeros(2, **o),
        "rand": lambda d, **o: torch.rand(3, device=d, **o),
        "randn": lambda d, **o: torch.randn(3, device=d, **o),
        "randint": lambda d, **o: torch.randint(2, 5, (3,), device=d, **o),
        "randperm": lambda d: torch.randperm(5, device=d),
        "normal": lambda d, **o: torch.normal(1.0, 2.0, (3,), device=d, **o),
        "rand_like": lambda d, **o: torch.rand_like(torch.ones(2, device=d), **o),
        "randint_like": lambda d, **o: torch.randint_like(torch.ones(2, device=d), 5, **o),
        "arange of integers": lambda d, **o: torch.arange(1, 5, device=d, **o),
        "arange of floats": lambda d, **o: torch.arange(0.5, 8, 2.5, device=d, **o),
        "arange of a float": lambda d, **o: torch.arange(5.0, device=d, **o),
        "range": lambda d, **o: torch.range(0, 3, device=d, **o),
        "linspace": lambda d, **o: torch.linspace(0, 10, 5, device=d, **o),
        "linspace of complex": lambda d: torch.linspace(0, 1j, 5, device=d),
        "linspace of tensors": lambda d: torch.linspace(scalar(0.0, device=d), scalar(1.0, device=d), 5, device=d),
        "logspace": lambda d, **o: torch.logspace(0, 1, 3, device=d, **o),
        "logspace of complex": lambda d: torch.logspace(0, 1j, 3, device=d),
        "eye": lambda d, **o: torch.eye(3, 4, device=d, **o),
        "tril_indices": lambda d: torch.tril_indices(3, 3, device=d),
        "triu_indices": lambda d: torch.triu_indices(3, 3, device=d),
        "scalar_tensor": lambda d, **o: torch.scalar_tensor(3, device=d, **o),
        "scalar_tensor of a complex": lambda d: torch.scalar_tensor(3j, device=d),
        "tensor of floats": lambda d, **o: torch.tensor([1.0, 2.0], device=d, **o),
        "tensor of integers": lambda d, **o: torch.tensor([1, 2], device=d, **o),
        "tensor of complex": lambda d: torch.tensor([1j], device=d),
        "tensor of bools": lambda d, **o: torch.tensor([True], device=d, **o),
        "asarray": lambda d, **o: torch.asarray([1.5, 2], device=d, **o),
        "fftfreq": lambda d, **o: torch.fft.fftfreq(5, device=d, **o),
        "rfftfreq": lambda d, **o: torch.fft.rfftfreq(5, device=d, **o),
        "vander": lambda d: torch.vander(torch.arange(3, device=d)),
        "one_hot": lambda d: torch.nn.functional.one_hot(torch.tensor([1], device=d)),
    }.items()
    for name in WINDOWS:
        for size in (0, 1, 2, 9):
            for periodic in (True, False):
                yield f"{name}_window({size}, {periodic})", (
                    lambda d, name=name, size=size, periodic=periodic, **o: getattr(torch, name + "_window")(size, periodic, device=d, **o))
    for name, more in (("hamming", (0.5,)), ("hamming", (0.5, 0.4)), ("kaiser", (5.0,))):
        yield f"{name}_window{more}", lambda d, name=name, more=more, **o: getattr(torch, name + "_window")(8, True, *more, device=d, **o)
    for name in SIGNAL_WINDOWS:
        yield f"signal.windows.{name}", lambda d, name=name, **o: getattr(torch.signal.windows, name)(8, device=d, **o)


class Factories(NpuCase):
    def setUp(self):
        warnings.simplefilter("ignore")    # `range` is deprecated
        self.addCleanup(torch.set_default_dtype, torch.get_default_dtype())

    def compare(self, function, **options):
        torch.manual_seed(0)
        try:
            want = function("cpu", **options)
        except (RuntimeError, TypeError, ValueError):    # not available for this dtype
            return 0
        torch.manual_seed(0)
        got = function(NPU, **options)
        self.assertEqual((got.dtype, got.stride(), got.requires_grad), (want.dtype, want.stride(), want.requires_grad))
        tolerance = {} if want.dtype in (torch.float64, torch.complex128) or not want.dtype.is_floating_point else {"rtol": 1e-6, "atol": 1e-6}
        if want.dtype in (torch.float16, torch.bfloat16):
            tolerance = {"rtol": 2**-7, "atol": 2**-7}
        self.assert_same(got, want, **tolerance)
        return 1

    def test_each_has_the_dtype_and_values_of_the_cpu(self):
        compared = 0
        for default in (torch.float32, torch.float64, torch.bfloat16):
            torch.set_default_dtype(default)
            for name, function in factories():
                for more in ({}, {"dtype": torch.float64}, {"dtype": torch.float16}, {"dtype": torch.int32}, {"requires_grad": True}):
                    with self.subTest(name=name, default=default, **more):
                        compared += self.compare(function, **more)
        self.assertGreater(compared, 500)

    def test_transforms_of_signals(self):
        wave = torch.randn(2, 400)
        for name in WINDOWS:
            window = getattr(torch, name + "_window")
            want = torch.stft(wave, 64, 16, window=window(64), return_complex=True)
            got = torch.stft(wave.to(NPU), 64, 16, window=window(64, device=NPU), return_complex=True)
            self.assert_same(got, want, rtol=1e-4, atol=1e-4)
        window = torch.hann_window(64, device=NPU)
        self.assert_same(torch.istft(got, 64, 16, window=window + 0.1), torch.istft(got.cpu(), 64, 16, window=window.cpu() + 0.1), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
