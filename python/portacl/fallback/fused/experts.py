# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts: sends tokens to their experts and back, and computes one product per expert."""

import torch
from torch.nn import functional

from . import quant, refuse

_ACTIVATIONS = {0: lambda y: y, 1: functional.relu, 2: lambda y: functional.gelu(y, approximate="tanh"), 4: lambda y: y * torch.sigmoid(1.702 * y),
                5: functional.silu}


def _unpadded(padded_mode, name):
    refuse.unless(not padded_mode, name, "padded_mode=True", "padded_mode=False")


def token_permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    """Tokens in the order of their experts, and for each pair of token and choice its index in that order."""
    _unpadded(padded_mode, "npu_moe_token_permute")
    choices = indices.shape[1] if indices.dim() == 2 else 1
    order = indices.flatten().argsort(stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(order.numel())
    kept = order[:num_out_tokens] if num_out_tokens else order
    return tokens[kept // choices], places.int()


def _at_places(permuted, sorted_indices):
    """Rows of `permuted` at these indices; zeros for indices beyond the end."""
    places = sorted_indices.long()
    inside = places < permuted.shape[0]
    if not permuted.shape[0]:
        return torch.zeros(places.numel(), permuted.shape[1])
    return permuted.float()[places.clamp(max=permuted.shape[0] - 1)] * inside[:, None]


def token_permute_grad(tokens, grad_permuted_tokens, indices, sorted_indices, padded_mode=False):
    return token_permute_grad_v2(grad_permuted_tokens, sorted_indices, tokens.shape[0], tokens.dtype,
                                 indices.shape[1] if indices.dim() == 2 else 1, padded_mode)


def token_permute_grad_v2(grad_permuted_tokens, sorted_indices, tokens_size_0, tokens_dtype, num_topK, padded_mode=False):
    _unpadded(padded_mode, "npu_moe_token_permute")
    return _at_places(grad_permuted_tokens, sorted_indices).reshape(tokens_size_0, num_topK, -1).sum(1).to(tokens_dtype)


def token_unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None):
    _unpadded(padded_mode, "npu_moe_token_unpermute")
    choices = probs.shape[1] if probs is not None else 1
    rows = _at_places(permuted_tokens, sorted_indices).reshape(-1, choices, permuted_tokens.shape[1])
    if probs is not None:
        rows = rows * probs.float()[..., None]
    return rows.sum(1).to(permuted_tokens.dtype)


def token_unpermute_for_backward(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None):
    """Like token_unpermute; the second result is the information on the tokens that the gradient needs."""
    return (token_unpermute(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape),
            permuted_tokens if probs is not None else permuted_tokens.new_empty(0))


def token_unpermute_grad(permuted_tokens, grad_unpermuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None):
    return token_unpermute_grad_v2(grad_unpermuted_tokens, sorted_indices, permuted_tokens.shape[0], permuted_tokens.dtype, probs, padded_mode,
                                   restore_shape, permuted_tokens)


def token_unpermute_grad_v2(grad_unpermuted_tokens, sorted_indices, permuted_tokens_size_0, permuted_tokens_dtype, probs=None,
                            padded_mode=False, restore_shape=None, permuted_tokens=None):
    _unpadded(padded_mode, "npu_moe_token_unpermute")
    gradient, places = grad_unpermuted_tokens.float(), sorted_indices.long()
    choices = probs.shape[1] if probs is not None else 1
    rows = gradient[:, None].expand(-1, choices, -1)
    of_probs = None
    if probs is not None:
        tokens = _at_places(permuted_tokens, sorted_indices).reshape(rows.shape)
        of_probs = (rows * tokens).sum(-1).to(probs.dtype)
        rows = rows * probs.float()[..., None]
    inside = places < permuted_tokens_size_0
    of_tokens = gradient.new_zeros(permuted_tokens_size_0, gradient.shape[1])
    of_tokens[places[inside]] = rows.reshape(-1, gradient.shape[1])[inside]
    return of_tokens.to(permuted_tokens_dtype), of_probs


def init_routing(x, row_idx, expert_idx, active_num):
    """Rows in the order of their experts, the new index of each, and the sorted experts."""
    experts, order = expert_idx.flatten().sort(stable=True)
    rows = row_idx.flatten()[order].long()
    places = torch.empty_like(row_idx.flatten())
    places[rows] = torch.arange(rows.numel(), dtype=places.dtype)
    active = min(x.shape[0], active_num) * row_idx.shape[1]
    return x[rows[:active] % x.shape[0]], places, experts


def gating_top_k_softmax(x, finished=None, k=1):
    refuse.unless(finished is None, "npu_moe_gating_top_k_softmax", "finished", "the call without")
    y, experts = x.float().softmax(-1).topk(k)
    count = x[..., 0].numel()
    rows = torch.arange(count * k, dtype=torch.int32).reshape(k, count).t().reshape(experts.shape)
    return y.to(x.dtype), experts.int(), rows.contiguous()


def finalize_routing(expanded_permuted_rows, skip1, skip2, bias, scales, expanded_src_to_dst_row, export_for_source_row, drop_pad_mode=0, k=1):
    refuse.unless(not drop_pad_mode, "npu_moe_finalize_routing", f"drop_pad_mode {drop_pad_mode}", "0")
    choices = scales.shape[1] if scales is not None else k
    rows = expanded_permuted_rows.float()[expanded_src_to_dst_row.long()].reshape(choices, -1, expanded_permuted_rows.shape[1]).transpose(0, 1)
    if bias is not None:
        rows = rows + bias.float()[export_for_source_row.long()]
    if scales is not None:
        rows = rows * scales.float()[..., None]
    out = rows.sum(1)
    for skip in (skip1, skip2):
        out = out if skip is None else out + skip.float()
    return out.to(expanded_permuted_rows.dtype)


def _ends(group_list, group_list_type):
    if group_list is None:
        return None
    sizes = torch.as_tensor(group_list)
    refuse.unless(group_list_type in (0, 1, None), "npu_grouped_matmul", f"group_list_type {group_list_type}", "0 or 1")
    return (sizes.cumsum(0) if group_list_type == 1 else sizes).tolist()


def _cut(ends):
    return list(zip([0, *ends[:-1]], ends))


def grouped_matmul(x, weight, *, bias=None, scale=None, offset=None, antiquant_scale=None, antiquant_offset=None, per_token_scale=None,
                   group_list=None, activation_input=None, activation_quant_scale=None, activation_quant_offset=None, split_item=0,
                   group_type=None, group_list_type=0, act_type=0, tuning_config=None, output_dtype=None, x_dtype=None,
                   weight_dtype=None, scale_dtype=None, per_token_scale_dtype=None):
    """y = act(x @ weight + bias) for each group; integers are scaled as quant.py describes."""
    name = "npu_grouped_matmul"
    special = (offset, activation_input, activation_quant_scale, activation_quant_offset, x_dtype, weight_dtype, scale_dtype,
               per_token_scale_dtype)
    refuse.unless(all(value is None or value == [] for value in special), name, "offset, activation inputs or packed dtypes",
                  "the call without")
    refuse.unless((act_type or 0) in _ACTIVATIONS, name, f"act_type {act_type}", "one of 0, 1, 2, 4, 5")
    refuse.unless(weight[0].dtype != torch.int32, name, "weights of INT4", "INT8")
    dtype = quant.dtype_of(output_dtype) or x[0].dtype
    ends = _ends(group_list, group_list_type)
    one = len(weight) == 1 and weight[0].dim() == 3
    groups = weight[0].shape[0] if one else len(weight)
    if group_type == 2:
        return _along_k(x, weight, ends, split_item, dtype)

    def of_group(values, group):
        if not values:
            return None
        return values[0][group] if len(values) == 1 and groups > 1 else values[group][0] if one else values[group]

    def product(rows, group, scale_of_rows):
        w = weight[0][group] if one else weight[group]
        y = quant.product(rows, w, scale=of_group(scale, group), bias=of_group(bias, group), per_token=scale_of_rows,
                          antiquant_scale=of_group(antiquant_scale, group), antiquant_offset=of_group(antiquant_offset, group), name=name)
        return quant.rounded(_ACTIVATIONS[act_type or 0](y), dtype)

    alike = len(x) == groups and (groups > 1 or ends is None)
    if alike:
        found = [product(rows, group, per_token_scale[group] if per_token_scale else None) for group, rows in enumerate(x)]
        return found if split_item in (0, 1) else [torch.cat(found)]
    if ends is None:
        raise RuntimeError(f"torch_npu.{name} needs a group_list for {len(x)} matrices and {groups} weights")
    found = [product(x[0][begin:end], group, per_token_scale[0][begin:end] if per_token_scale else None)
             for group, (begin, end) in enumerate(_cut(ends))]
    if split_item in (0, 1):
        return found
    rest = x[0].shape[0] - ends[-1]    # rows that belong to no group
    return [torch.cat([*found, torch.zeros(rest, found[0].shape[1], dtype=dtype)])]


def _along_k(x, weight, ends, split_item, dtype):
    """The products of columns of x and rows of the weight, group by group, as for gradients of weights."""
    if len(x) > 1:
        found = [a.float() @ b.float() for a, b in zip(x, weight)]
    else:
        found = [x[0][:, begin:end].float() @ weight[0][begin:end].float() for begin, end in _cut(ends)]
    found = [y.to(dtype) for y in found]
    return found if split_item in (0, 1) else [torch.stack(found)]
