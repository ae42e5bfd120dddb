# SPDX-License-Identifier: Apache-2.0
"""Features of a card besides operators: DataParallel works; captured or compiled graphs are refused with one sentence."""

import unittest
import warnings

from npu_case import NPU, NpuCase, run_python

import torch
import torch_npu
from torch_npu.op_plugin.atb import _atb_ops

WORKS = "; torch.compile with the backends 'eager' and 'aot_eager' works on npu"
PARALLEL = """
import copy, portacl, torch, warnings
from torch import nn
warnings.simplefilter("ignore")    # PyTorch misses NCCL
torch.manual_seed(0)
cpu = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3))
npu = copy.deepcopy(cpu).npu()
parallel = nn.DataParallel(npu)
x = torch.randn(7, 4)
cpu(x).sum().backward(), parallel(x.npu()).sum().backward()    # the gradient of a sum is expanded
for want, got in zip(cpu.parameters(), npu.parameters()):
    torch.testing.assert_close(got.grad.cpu(), want.grad)
print(parallel.device_ids, torch.ones(1).npu().expand(3).to("npu:1"))
"""


# Arguments for any operator of the plug-in; most are wrong, but an operator that needs a card says so first.
FULL, ROWS = torch.ones(2, 4, 16, 16, dtype=torch.float16), torch.ones(4, 16, dtype=torch.float16)
ARGUMENTS = {"Tensor": lambda: FULL.npu(), "List[Tensor]": lambda: [ROWS.npu()] * 2, "int": lambda: 1, "float": lambda: 1.0, "number": lambda: 1.0,
             "bool": lambda: False, "str": lambda: "BNSD", "List[int]": lambda: [1, 1], "List[float]": lambda: [1.0], "List[bool]": lambda: [True],
             "Device": lambda: NPU}


def of_plugin():
    """(name, call) for each operator of torch_npu."""
    for name in sorted({schema.name for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("npu::npu_")}):
        operator = getattr(torch.ops.npu, name.partition("::")[2])
        for overload in operator.overloads():
            schema = getattr(operator, overload)._schema
            wanted = [argument for argument in schema.arguments if not argument.has_default_value()]
            args, kwargs = [], {}
            for argument in wanted:
                value = ARGUMENTS.get(str(argument.type).replace("SymInt", "int"), lambda: None)()
                if argument.kwarg_only:
                    kwargs[argument.name] = value
                else:
                    args.append(value)
            yield name.partition("::")[2], lambda: getattr(operator, overload)(*args, **kwargs)


def compiled(backend, *values):
    torch._dynamo.reset()
    return torch.compile(lambda x: torch.erfinv(x) + 1, backend=backend)(*values)


class Unsupported(NpuCase):
    def assert_refused(self, kind, text, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual(str(caught.exception), text)

    def test_backends_that_compile_for_a_card(self):
        x = torch.full((4,), 0.5, device=NPU)
        needs = "torch.compile with the backend '{}' needs a card's compiler, which Portacl has not" + WORKS
        for backend in ("npu", "npugraph_ex", "npugraphs"):
            self.assert_refused(NotImplementedError, needs.format(backend), lambda: compiled(backend, x))
        refused = needs.format("inductor") + ", and 'inductor' on CPU tensors"
        self.assert_refused(NotImplementedError, refused, lambda: compiled("inductor", x))
        self.assert_refused(NotImplementedError, refused, torch.compile(lambda: torch.ones(3, device=NPU) + 1))
        self.assert_refused(NotImplementedError, refused, lambda: torch.compile(torch.nn.Linear(4, 4).npu(), mode="reduce-overhead")(x))
        for backend in ("eager", "aot_eager"):
            self.assert_same(compiled(backend, x), torch.erfinv(x.cpu()) + 1)

    def test_the_cpu_keeps_its_compiler(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")    # the plug-in warns that Triton is missing
            self.assertEqual(compiled("inductor", torch.zeros(3)).tolist(), [1, 1, 1])

    def test_modules_that_compile_for_a_card(self):
        for _ in range(2):
            for name in ("torchair", "npugraph_ex", "torch_npu.dynamo.torchair"):
                self.assert_refused(ImportError, f"{name} compiles graphs for a card, which Portacl does not run" + WORKS,
                                    lambda: __import__(name))

    def test_captured_graphs(self):
        def capture():
            with torch.npu.graph(torch.npu.NPUGraph()):
                torch.ones(1, device=NPU) + 1
        self.assert_refused(NotImplementedError, "torch.npu.NPUGraph captures graphs on a card, but not with Portacl; the same code works "
                            "outside of a graph", capture)
        self.assert_same(torch.ones(1, device=NPU) + 1, torch.full((1,), 2.0))

    def test_functions_of_atb(self):
        for function, text in (
            (torch_npu._npu_paged_attention, "torch_npu._npu_paged_attention is of the library ATB, which runs on a card, but not with Portacl; "
             "torch_npu.npu_fused_infer_attention_score works"),
            (torch_npu._npu_rotary_embedding, "torch_npu._npu_rotary_embedding is of the library ATB, which runs on a card, but not with Portacl; "
             "torch_npu.npu_rotary_mul works"),
            (torch_npu.atb.npu_fused_add_topk_div, "torch_npu.atb.npu_fused_add_topk_div is of the library ATB, which runs on a card, but not "
             "with Portacl; torch_npu.npu_moe_gating_top_k_softmax works"),
        ):
            for _ in range(2):
                self.assert_refused(NotImplementedError, text, lambda: function(torch.ones(2, device=NPU)))
        for holder in (torch_npu, torch_npu.atb):
            for name in (*_atb_ops.API_LIST, *_atb_ops.ATB_API_LIST):
                if hasattr(holder, name):
                    with self.assertRaisesRegex(NotImplementedError, rf"\b{name} is of the library ATB"):
                        getattr(holder, name)()

    def test_operators_that_a_card_alone_has(self):
        refused = 0
        for name, call in of_plugin():
            with self.subTest(name=name):
                try:
                    call()
                except NotImplementedError as error:
                    # One is composed of another, which has the words.
                    self.assertRegex(str(error), rf"^torch_npu\.(_?{name}|_npu_index_add_) (with .+ )?runs on a card, but not with Portacl; .+ works?\b")
                    refused += 1
                except Exception as error:    # caused by the arguments
                    self.assertNotRegex(str(error), r"(?i)aclnn\w+ not found|ascend950|this soc|upgrade|do not have aclnn")
        self.assertGreater(refused, 200)

    def test_data_parallel_works(self):
        run = run_python("-c", PARALLEL, PORTACL_DEVICES="2")
        self.assertEqual((run.stdout, run.stderr), ("[0, 1] tensor([1., 1., 1.], device='npu:1')\n", ""))


if __name__ == "__main__":
    unittest.main()
