# SPDX-License-Identifier: Apache-2.0
"""Features of a card, besides operators, that Portacl lacks: captured or compiled graphs. Each is refused with one sentence."""

import functools
import importlib.machinery
import sys

_WORKS = "torch.compile with the backends 'eager' and 'aot_eager' works on npu"
_COMPILERS = ("torchair", "torch_npu.dynamo.torchair", "npugraph_ex", "torch_npu.dynamo.npugraph_ex")

# The replacement for functions whose name contains this part.
_INSTEAD_OF_ATB = {
    "attention": "torch_npu.npu_fused_infer_attention_score works",
    "mla": "torch_npu.npu_fused_infer_attention_score works",
    "rotary": "torch_npu.npu_rotary_mul works",
    "rms_norm": "torch_npu.npu_rms_norm works",
    "topk": "torch_npu.npu_moe_gating_top_k_softmax works",
    "cache": "Tensor.index_put_ and index_select work",
    "quantize": "torch_npu.npu_dynamic_quant works",
    "matmul": "torch.addmm works",
}


def install():
    """Installs the refusals; once, after torch_npu was imported. Imports nothing large."""
    import torch
    import torch_npu

    _refuse_inductor(torch._TorchCompileInductorWrapper)
    # Dynamo finds the plug-in's backends by these names, or gets the result of these functions.
    dynamo = torch_npu.dynamo
    dynamo._npu_backend_entrypoint = _refused_backend("npu")
    dynamo._npugraph_ex_backend_entrypoint = _refused_backend("npugraph_ex")
    dynamo._npugraphs_backend_entrypoint = _refused_backend("npugraphs")
    dynamo._get_default_backend = dynamo._get_global_npu_backend = _refused_backend
    dynamo._get_npugraph_ex_backend = lambda: _refused_backend("npugraph_ex")
    torch_npu.npu.NPUGraph.capture_begin = _refuse_capture
    _refuse_atb(torch_npu)
    for name in _COMPILERS:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _RefusedModules())


@functools.cache
def _refusal():
    # Dynamo wraps other exceptions in several lines, and adds text to this one.
    from torch._dynamo.exc import ShortenTraceback

    class UnsupportedBackend(ShortenTraceback, NotImplementedError):
        def __init__(self, sentence):
            super().__init__(sentence, first_useful_frame=sys._getframe(1))
            self.sentence = sentence

        def __str__(self):
            return self.sentence

    UnsupportedBackend.__qualname__ = UnsupportedBackend.__name__    # the name that tracebacks show
    return UnsupportedBackend


def _refuse_inductor(wrapper):
    compile_graph = wrapper.__call__

    @functools.wraps(compile_graph)
    def call(self, graph, inputs, **options):
        if _is_on_npu(graph, inputs):
            raise _refusal()(f"torch.compile with the backend 'inductor' needs a card's compiler, which Portacl has not; {_WORKS}, "
                             "and 'inductor' on CPU tensors")
        return compile_graph(self, graph, inputs, **options)

    wrapper.__call__ = call


def _is_on_npu(graph, inputs):
    import torch
    from torch.utils import _pytree as pytree

    values = [inputs, [node.meta.get("example_value") for node in graph.graph.nodes], *graph.parameters(), *graph.buffers()]
    return any(isinstance(leaf, torch.Tensor) and leaf.device.type == "npu" for leaf in pytree.tree_leaves(values))


def _refused_backend(name, config=None):
    """A backend for Dynamo that refuses."""
    def compile_graph(graph, inputs, **options):
        raise _refusal()(f"torch.compile with the backend '{name}' needs a card's compiler, which Portacl has not; {_WORKS}")
    return compile_graph


def _refuse_capture(graph, *args, **kwargs):
    raise NotImplementedError("torch.npu.NPUGraph captures graphs on a card, but not with Portacl; the same code works outside of a graph")


def _refuse_atb(torch_npu):
    # The plug-in's own functions raise an OSError without a number or a name, as the library libatb.so is missing.
    from torch_npu.op_plugin.atb import _atb_ops

    if getattr(_atb_ops, "NNAL_EX", None) is None:
        return
    for holder, prefix, names in ((torch_npu, "torch_npu", _atb_ops.API_LIST), (torch_npu.atb, "torch_npu.atb", _atb_ops.ATB_API_LIST)):
        for name in names:
            setattr(holder, name, _refused_by_atb(f"{prefix}.{name}", getattr(holder, name)))


def _refused_by_atb(name, function):
    works = next((works for part, works in _INSTEAD_OF_ATB.items() if part in name), "operators of PyTorch itself work")

    @functools.wraps(function)
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"{name} is of the library ATB, which runs on a card, but not with Portacl; {works}")
    return refuse


class _RefusedModules:
    """A finder and loader that raises an ImportError for modules of the plug-in that compile graphs."""

    def find_spec(self, fullname, path, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in _COMPILERS else None

    def create_module(self, spec):
        raise ImportError(f"{spec.name} compiles graphs for a card, which Portacl does not run; {_WORKS}", name=spec.name)

    def exec_module(self, module):
        pass
