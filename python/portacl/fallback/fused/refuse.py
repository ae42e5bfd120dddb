# SPDX-License-Identifier: Apache-2.0
"""Errors of compositions that do not support all that a card does."""


def unless(fits, name, what, instead):
    """Raises NotImplementedError unless `fits`: `what` of torch_npu's `name` needs a card, and `instead` works here."""
    if not fits:
        raise NotImplementedError(f"torch_npu.{name} with {what} runs on a card, but not with Portacl; {instead} works")
