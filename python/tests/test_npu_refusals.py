# SPDX-License-Identifier: Apache-2.0
"""Calls that the toolkit refuses run on the CPU, whatever the wording of the refusal: its name, its SoC or a dtype is missing."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

from npu_case import NPU, NpuCase, run_python

import torch

HERE = pathlib.Path(__file__).parent
# Kernels of the plug-in that call no operator of the toolkit, but others of PyTorch, which are handled themselves; logit has its own path if the name
# is missing.
ASKS_NOTHING = frozenset("""
    _chunk_cat _chunk_cat.out _native_batch_norm_legit adaptive_max_pool3d adaptive_max_pool3d_backward complex complex.out convolution full.out
    index_put index_put_ isin.Tensor_Tensor isin.Tensor_Tensor_out isnan logit logit.out logit_ logit_backward new_empty_strided ones_like
    scatter_reduce_.two split_with_sizes_copy.out unfold_backward zeros zeros.out
""".split())


def refuse(half):
    """Runs in a separate process, where every operator is refused: prints a JSON line with what ran natively, what was refused, what failed. Half of
    the operators (0 or 1), as exceptions are slow."""
    import op_db_compare

    from portacl.fallback import native

    warnings.simplefilter("ignore")
    op_db_compare.EXACT.clear()    # here the reference is the CPU's own float32
    failed = {}
    for name, operator in list(op_db_compare.operators().items())[half::2]:
        if name in op_db_compare.LIMITS:
            continue
        try:
            op_db_compare.check(operator, limit=1)
        except Exception as error:    # whatever the operator raises is the result
            failed[name] = f"{type(error).__name__}: {error}"[-400:]
    ran, missing = native.outcomes()
    print(json.dumps({"ran": sorted(ran), "refused": {name: list(what) for name, what in missing.items()}, "failed": failed}))


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Refusals(NpuCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.library = str(pathlib.Path(folder.name, "refusing.so"))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", cls.library, HERE / "refusing.c", "-ldl"], check=True)

    def test_every_native_operator_refuses_in_each_way(self):
        for way, ending in (("name", ""), ("product", " (561003)"), ("dtype", " (dtype)")):
            ran, refused = set(), set()
            for half in ("0", "1"):
                # The shortest form of the plug-in's errors.
                run = run_python(__file__, "--refuse", half, LD_PRELOAD=self.library, REFUSE=way, TORCH_NPU_COMPACT_ERROR_OUTPUT="1")
                found = json.loads(run.stdout.splitlines()[-1])
                ran.update(found["ran"]), refused.update(found["refused"])
                with self.subTest(way=way, half=half):
                    self.assertEqual(found["failed"], {})
                    for operator, names in found["refused"].items():
                        self.assertTrue(all(name.endswith(ending) for name in names), f"{operator}: {names}")
            with self.subTest(way=way):
                self.assertEqual(ran - refused - ASKS_NOTHING, set())
                self.assertGreater(len(refused), 500)

    def test_dtypes_that_the_plug_in_refuses_itself(self):
        x = torch.tensor([[3.0, 1, 2], [0, 2, 1], [1, 1, 4]], dtype=torch.float64)
        for call in (lambda t: t.sort(stable=True).values, lambda t: t.argsort(dim=1, stable=True), lambda t: torch.linalg.svd(t)[1],
                     lambda t: torch.isin(t, t[0]), lambda t: torch.isin(t, t[0], out=torch.empty(3, 3, dtype=torch.bool, device=t.device)),
                     lambda t: torch.linalg.svdvals(t.to(torch.complex128)), lambda t: torch.linalg.pinv(t)):
            for _ in range(2):    # the second call uses the cached refusal
                self.assert_same(call(x.to(NPU)), call(x))

    def test_dtypes_of_lists_and_of_common_types(self):
        z = torch.polar(torch.ones(3, 2, dtype=torch.float64), torch.zeros(3, 2, dtype=torch.float64))
        small = torch.tensor([7, -5, 3], dtype=torch.int8)
        for call, value in (
            (lambda t: torch.cat([t, t], -1), z), (lambda t: torch.stack([t, t]), z), (lambda t: torch.vander(t[:, 0]), z),
            (lambda t: torch.cat([t, t], out=torch.empty(6, 2, dtype=t.dtype, device=t.device)), z), (lambda t: t % (t.abs() + 1), small),
            (lambda t: torch.remainder(t, 3), small), (lambda t: torch.cat([t.float(), t.abs().to(torch.uint16)]), small),
            (lambda t: torch.where(t > 0, t.float(), t.abs().to(torch.uint32)), small), (lambda t: t.float() < t.abs().to(torch.uint64), small),
        ):
            for _ in range(2):
                self.assert_same(call(value.to(NPU)), call(value))

    def test_a_refusal_of_another_client_does_not_count(self):
        import portacl

        x = torch.ones(3, device=NPU)
        with self.assertRaises(portacl.Error):    # the toolkit refuses a dtype in this thread,
            portacl.run("aclnnLogit", input=x.cpu().int().numpy(), eps=-1.0)
        with self.assertRaisesRegex(RuntimeError, "step must be nonzero"):    # and the plug-in refuses an argument, which is the caller's error
            torch.arange(0, 3, 0, device=NPU)
        with self.assertRaisesRegex(RuntimeError, "aclnnSmoothL1Loss: argument 'beta'"):
            torch.ops.aten.smooth_l1_loss(x, x, 0, -1.0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--refuse"]:
        refuse(int(sys.argv[2]))
    else:
        unittest.main()
