# SPDX-License-Identifier: Apache-2.0
"""The operators of torch_npu itself (`npu::`) that the toolkit lacks.

Those in COMPOSED are composed of PyTorch's operators, on the CPU over the same memory, as the plug-in's documentation defines
them; their gradients are separate operators, which the plug-in's autograd calls. All others raise an error that says that they
need a card, and names an alternative.
"""

import torch

from .. import refusals
from ..kernel import make_kernel
from . import attention, experts, formats, pointwise, quant

COMPOSED = {
    "npu_rotary_mul": pointwise.rotary_mul,
    "npu_rotary_mul_backward": pointwise.rotary_mul_backward,
    "npu_broadcast": pointwise.broadcast,
    "npu_confusion_transpose": pointwise.confusion_transpose,
    "npu_confusion_transpose_backward": pointwise.confusion_transpose_backward,
    "npu_fast_gelu": pointwise.fast_gelu,
    "fast_gelu": pointwise.fast_gelu,
    "npu_fast_gelu_backward": pointwise.fast_gelu_backward,
    "npu_silu": pointwise.silu,
    "npu_silu_": pointwise.silu_,
    "npu_silu_backward": pointwise.silu_backward,
    "npu_mish": pointwise.mish,
    "npu_mish_backward": pointwise.mish_backward,
    "npu_apply_adam_w.out": pointwise.apply_adam_w,
    "npu_fusion_attention": attention.fusion_attention,
    "npu_fusion_attention_grad": attention.fusion_attention_grad,
    "npu_fused_infer_attention_score": attention.infer_attention,
    "npu_moe_token_permute": experts.token_permute,
    "npu_moe_token_permute_grad": experts.token_permute_grad,
    "npu_moe_token_permute_grad_v2": experts.token_permute_grad_v2,
    "npu_moe_token_unpermute": experts.token_unpermute,
    "_npu_moe_token_unpermute": experts.token_unpermute_for_backward,
    "npu_moe_token_unpermute_grad": experts.token_unpermute_grad,
    "npu_moe_token_unpermute_grad_v2": experts.token_unpermute_grad_v2,
    "npu_moe_init_routing": experts.init_routing,
    "npu_moe_gating_top_k_softmax": experts.gating_top_k_softmax,
    "npu_moe_finalize_routing": experts.finalize_routing,
    "npu_grouped_matmul": experts.grouped_matmul,
    "npu_grouped_matmul.List": experts.grouped_matmul,
    "npu_quant_matmul": quant.quant_matmul,
    "npu_trans_quant_param": quant.trans_quant_param,
    "npu_dynamic_quant": quant.dynamic_quant,
    "npu_dynamic_quant_asymmetric": quant.dynamic_quant_asymmetric,
}

# These operators take the device's tensors directly.
_DIRECT = {
    "npu_broadcast.out": pointwise.broadcast_into,
    "npu_format_cast": formats.format_cast,
    "npu_format_cast.Tensor": formats.format_cast_like,
    "npu_format_cast_": formats.format_cast_like_,
    "npu_format_cast_.acl_format": formats.format_cast_,
    "_npu_format_cast": formats.format_cast,
    "_npu_format_cast.aclnn": formats.format_cast,
    "_npu_format_cast.input_dtype": formats.format_cast,
}

# The replacement for a missing operator; the longest matching prefix of its name is used.
_INSTEAD = {
    "npu_": "operators of PyTorch itself work",
    "npu_fusion_attention": "torch_npu.npu_fusion_attention and torch.nn.functional.scaled_dot_product_attention work",
    "npu_fused_infer_attention": "torch_npu.npu_fused_infer_attention_score works",
    "npu_prompt_flash_attention": "torch_npu.npu_fused_infer_attention_score works",
    "npu_incre_flash_attention": "torch_npu.npu_fused_infer_attention_score works",
    "npu_multi_head_attention": "torch.nn.MultiheadAttention works",
    "npu_grouped_matmul": "torch_npu.npu_grouped_matmul works",
    "npu_moe_": "torch_npu.npu_moe_token_permute, npu_moe_init_routing and operators of PyTorch itself work",
    "npu_apply_rotary": "torch_npu.npu_rotary_mul works",
    "npu_interleave_rope": "torch_npu.npu_rotary_mul works",
    "npu_gemma_rms_norm": "torch_npu.npu_rms_norm with 1 + gamma works",
    "npu_add_rms_norm": "torch_npu.npu_add_rms_norm works",
    "npu_quant": "torch_npu.npu_quant_matmul and npu_dynamic_quant work",
    "npu_dynamic": "torch_npu.npu_dynamic_quant works",
    "npu_apply_adam": "torch_npu.npu_apply_adam_w with out= and torch.optim.AdamW work",
    "npu_bert_apply_adam": "torch.optim.AdamW works",
    "npu_swiglu": "torch_npu.npu_swiglu works",
    "npu_transpose": "Tensor.permute works",
    "npu_bmm": "torch.bmm works",
    "npu_one_hot": "torch.nn.functional.one_hot works",
    "npu_conv": "torch.nn.functional.conv2d and its like work",
    "npu_lstm": "torch.nn.LSTM works",
    "npu_gru": "torch.nn.GRU works",
    "npu_dropout": "torch.nn.functional.dropout works",
    "npu_cross_entropy": "torch.nn.functional.cross_entropy works",
    "npu_layer_norm": "torch.nn.functional.layer_norm works",
    "npu_group_norm": "torch.nn.functional.group_norm and silu work",
    "npu_add_layer_norm": "torch.nn.functional.layer_norm works",
    "npu_roi_align": "torchvision.ops.roi_align on CPU tensors works",
    "npu_nms": "torchvision.ops.nms on CPU tensors works",
    "npu_scatter_nd": "Tensor.index_put_ works",
    "npu_ffn": "torch.nn.functional.linear and gelu work",
}

def not_found(error):
    """Like refusals.not_found, for the plug-in's operators."""
    return refusals.not_found(error, of_plugin=True)


def sentence(name):
    """The end of an error message about the missing operator `name`."""
    packet = name.partition(".")[0]
    fitting = max((begin for begin in _INSTEAD if packet.lstrip("_").startswith(begin)), key=len, default="npu_")
    return f"torch_npu.{packet} runs on a card, but not with Portacl; {_INSTEAD[fitting]}"


def explained(name, plugin):
    """Wraps `plugin` so that its error says so if the toolkit lacks what it needs."""
    def kernel(keyset, *args, **kwargs):
        refusals.take()
        try:
            return plugin(keyset, *args, **kwargs)
        except RuntimeError as error:
            what = not_found(error)
            if what is None:
                raise
            raise NotImplementedError(f"{sentence(name)} (missing: {what})") from None
    return kernel


def of_plugin(name):
    """The plug-in's own kernel. It may use random numbers before it misses a name; the same ones are then generated again."""
    kernel = torch.library.get_kernel("npu::" + name, "PrivateUse1").call_boxed
    if name != "npu_fusion_attention":
        return kernel

    def drawing(keyset, *args, **kwargs):
        generator = torch.npu.default_generators[torch.npu.current_device()]
        offset = generator.get_offset()
        try:
            return kernel(keyset, *args, **kwargs)
        except RuntimeError:
            generator.set_offset(offset)
            raise
    return drawing


def direct(name):
    """The kernel for an operator that never calls the plug-in; None for another."""
    return _DIRECT.get(name)


def composed(name, operator):
    """The kernel that is used if the toolkit lacks what the plug-in's kernel needs; None if there is none."""
    if name not in COMPOSED:
        return None
    compute = make_kernel(operator, COMPOSED[name])
    if not name.endswith(".out"):
        return compute

    def kernel(*args, out, **kwargs):
        compute(*args, out=out, **kwargs)
        return tuple(out)
    return kernel


install_formats = formats.install
