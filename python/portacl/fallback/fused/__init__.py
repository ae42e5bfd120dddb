# SPDX-License-Identifier: Apache-2.0
"""The operators of torch_npu itself (`npu::`) that the toolkit lacks.

Those in COMPOSED are composed of PyTorch's operators, on the CPU over the same memory, as the plug-in's documentation defines
them; their gradients are separate operators, which the plug-in's autograd calls. All others raise an error that says that they
need a card, and names an alternative.
"""

import torch
from torch.nn import functional

from . import attention, experts, formats, pointwise, quant

_library = torch.library.Library("portacl", "FRAGMENT")

COMPOSED = {
    "npu_rotary_mul": pointwise.rotary_mul,
    "npu_rotary_mul_backward": pointwise.rotary_mul_backward,
    "npu_broadcast": pointwise.broadcast,
    "npu_confusion_transpose": pointwise.confusion_transpose,
    "npu_confusion_transpose_backward": pointwise.confusion_transpose_backward,
    "npu_fast_gelu": pointwise.fast_gelu,
    "fast_gelu": pointwise.fast_gelu,
    "npu_fast_gelu_backward": pointwise.fast_gelu_backward,
    "npu_silu": functional.silu,
    "npu_silu_": torch.ops.aten.silu_,
    "npu_silu_backward": pointwise.silu_backward,
    "npu_mish": functional.mish,
    "npu_mish_backward": torch.ops.aten.mish_backward,
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

# These operators take the device's tensors directly, and never call the plug-in.
_DIRECT = {
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


def sentence(name):
    """The end of an error message about the missing operator `name`."""
    packet = name.partition("::")[2].partition(".")[0]
    fitting = max((begin for begin in _INSTEAD if packet.lstrip("_").startswith(begin)), key=len, default="npu_")
    return f"torch_npu.{packet} runs on a card, but not with Portacl; {_INSTEAD[fitting]}"


def install(kernels, replaced):
    """Replaces the kernels of the plug-in's operators, except for those in `replaced`.

    kernels: the functions of boxed.cpp, which define the operators of the namespace portacl that get their kernels here.
    """
    formats.install()
    left = set(kernels.registered("PrivateUse1", "npu")) - replaced    # not every version of the plug-in has all
    for functions, define, key in ((COMPOSED, kernels.install_native_first, "CPU"), (_DIRECT, kernels.install_direct, "PrivateUse1")):
        names = [name for name in functions if f"npu::{name}" in left]
        define([f"npu::{name}" for name in names])
        left.difference_update(f"npu::{name}" for name in names)
        for name in names:
            _library.impl(name, functions[name], key)
    # The last one has no tensor argument, so that no device has a kernel for it.
    for names, key in (([*left], "PrivateUse1"),
                       (["npu::npu_dropout_gen_mask"], "CompositeImplicitAutograd")):
        kernels.install_explained(names, [sentence(name) for name in names], key)
