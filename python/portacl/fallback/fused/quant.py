# SPDX-License-Identifier: Apache-2.0
"""Products of INT8 matrices, and the computation of their scales.

INT8 @ INT8, with an INT32 bias, is exact. It is followed by the scales of columns (scale) and of rows (per token), then by a bias
of another dtype, then by an offset. npu_trans_quant_param packs scale and offset into an INT64, in a layout of this file.
"""

import torch

from . import refuse

_TRUNCATED = ~0x1FFF    # a scale keeps only the ten upper bits of its fraction
_BY_CODE = {0: torch.uint8, 1: torch.int8, 3: torch.int32, 5: torch.float16, 6: torch.float32, 15: torch.bfloat16}


def dtype_of(code):
    """The dtype for PyTorch's number of a dtype; None for None."""
    return code if code is None or isinstance(code, torch.dtype) else _BY_CODE[code]


def trans_quant_param(scale, offset=None, round_mode=0):
    refuse.unless(not round_mode, "npu_trans_quant_param", f"round_mode {round_mode}", "0")
    low = (scale.float().contiguous().view(torch.int32) & _TRUNCATED).long() & 0xFFFFFFFF
    if offset is None:
        return low
    return low | offset.float().contiguous().view(torch.int32).long() << 32


def _unpacked(scale):
    """Scale and offset."""
    if scale.dtype != torch.int64:
        return scale, None
    low, high = (scale & 0xFFFFFFFF), scale >> 32
    as_float = lambda bits: torch.where(bits >= 2**31, bits - 2**32, bits).int().view(torch.float32)
    return as_float(low), as_float(high)


def rounded(y, dtype):
    """`y` converted to `dtype`; integers are rounded to nearest, ties to even."""
    return y.round().clamp(-128, 127).to(dtype) if dtype == torch.int8 else y.to(dtype)


def product(x, weight, *, scale=None, offset=None, bias=None, per_token=None, antiquant_scale=None, antiquant_offset=None, name):
    """Like the function above, before rounding to the dtype of the result; with antiquant_scale, x @ ((weight + offset) * scale)."""
    integers = x.dtype == torch.int8 and weight.dtype == torch.int8
    if not integers:
        if antiquant_scale is not None:
            refuse.unless(antiquant_scale.dim() == 1, name, "antiquant_scale for groups of rows", "one of columns")
            weight = weight.float() if antiquant_offset is None else weight.float() + antiquant_offset.float()
            weight = weight * antiquant_scale.float()
        y = x.float() @ weight.float()
        return y if bias is None else y + bias.float()
    y = x.double() @ weight.double()    # exact
    if bias is not None and bias.dtype == torch.int32:
        y = y + bias
    if scale is not None:
        factor, packed_offset = _unpacked(scale)
        offset = packed_offset if offset is None else offset
        y = y * factor.double()
    if per_token is not None:
        y = y * per_token.double()[:, None]
    if bias is not None and bias.dtype != torch.int32:
        y = y + bias
    return (y if offset is None else y + offset).float()


def quant_matmul(x1, x2, scale, *, offset=None, pertoken_scale=None, bias=None, output_dtype=None, x1_dtype=None, x2_dtype=None,
                 pertoken_scale_dtype=None, scale_dtype=None, group_sizes=None, y_scale=None):
    name = "npu_quant_matmul"
    special = (x1_dtype, x2_dtype, pertoken_scale_dtype, scale_dtype, group_sizes, y_scale)
    refuse.unless(x1.dtype == x2.dtype == torch.int8 and all(value is None for value in special), name, "anything but INT8", "INT8")
    dtype = dtype_of(output_dtype) or torch.int8
    refuse.unless(dtype in (torch.int8, torch.float16, torch.bfloat16), name, f"output_dtype {dtype}", "INT8, FLOAT16 or BFLOAT16")
    return rounded(product(x1, x2, scale=scale, offset=offset, bias=bias, per_token=pertoken_scale, name=name), dtype)


def _smoothed(x, smooth_scales, group_index):
    x = x.float()
    if smooth_scales is None:
        return x
    if group_index is None:
        return x * smooth_scales.float()
    rows = torch.arange(x[..., 0].numel())
    groups = torch.searchsorted(group_index.long(), rows, right=True).clamp(max=smooth_scales.shape[0] - 1)
    return (x.flatten(0, -2) * smooth_scales.float()[groups]).reshape(x.shape)


def _int8_only(dst_type, name):
    refuse.unless(dst_type is None or dtype_of(dst_type) == torch.int8, name, f"dst_type {dst_type}", "torch.int8")


def dynamic_quant(input, *, smooth_scales=None, group_index=None, dst_type=None, quant_mode="pertoken", dst_type_max=0.0):
    name = "npu_dynamic_quant"
    _int8_only(dst_type if dst_type in (None, 1, torch.int8) else -1, name)
    axes = {"pertoken": (-1,), "perchannel": (-2,), "pertensor": tuple(range(input.dim()))}
    refuse.unless(quant_mode in axes, name, f"quant_mode '{quant_mode}'", "one of " + ", ".join(axes))
    x = _smoothed(input, smooth_scales, group_index)
    scale = x.abs().amax(axes[quant_mode], keepdim=True) / 127
    y = rounded((x / scale).where(scale != 0, torch.zeros(())), torch.int8)
    return y, scale.reshape(1) if quant_mode == "pertensor" else scale.squeeze(axes[quant_mode])


def dynamic_quant_asymmetric(input, *, smooth_scales=None, group_index=None, dst_type=None, quant_mode="pertoken", dst_type_max=0.0):
    name = "npu_dynamic_quant_asymmetric"
    _int8_only(dst_type if dst_type in (None, 1, torch.int8) else -1, name)
    refuse.unless(quant_mode == "pertoken", name, f"quant_mode '{quant_mode}'", "pertoken")
    x = _smoothed(input, smooth_scales, group_index)
    largest, least = x.amax(-1, keepdim=True), x.amin(-1, keepdim=True)
    scale = (largest - least) / 255
    offset = 127 - largest / scale
    y = rounded((x / scale + offset).where(scale != 0, torch.zeros(())), torch.int8)
    return y, scale.squeeze(-1), offset.where(scale != 0, torch.zeros(())).squeeze(-1)
