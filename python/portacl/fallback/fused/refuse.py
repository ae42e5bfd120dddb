# SPDX-License-Identifier: Apache-2.0
"""How a composition says that it does not compute what a card may."""


def unless(fits, name, what, instead):
    """NotImplementedError unless `fits`: torch_npu's `name` with `what` is for a card, and `instead` works here."""
    if not fits:
        raise NotImplementedError(f"torch_npu.{name} with {what} runs on a card, but not with Portacl; {instead} works")
