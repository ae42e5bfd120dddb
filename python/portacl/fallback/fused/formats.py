# SPDX-License-Identifier: Apache-2.0
"""Memory formats as labels: a tensor remembers the format to which it was cast, but its layout in memory does not change."""

import torch_npu


def format_cast(input, acl_format, customize_dtype=None, input_dtype=None):
    result = input.clone()
    result.portacl_format = acl_format
    return result


def format_cast_like(input, dst, customize_dtype=None, input_dtype=None):
    return format_cast(input, int(torch_npu.get_npu_format(dst)))


def format_cast_(input, acl_format, customize_dtype=None, input_dtype=None):
    input.portacl_format = acl_format
    return input


def format_cast_like_(input, src, customize_dtype=None, input_dtype=None):
    return format_cast_(input, int(torch_npu.get_npu_format(src)))


def install():
    """Makes torch_npu.get_npu_format read the labels."""
    actual = torch_npu.get_npu_format

    def get_npu_format(tensor):
        """The format to which the tensor was cast."""
        cast = getattr(tensor, "portacl_format", None)
        return actual(tensor) if cast is None else type(actual(tensor))(cast)

    torch_npu.get_npu_format = get_npu_format
