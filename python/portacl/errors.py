# SPDX-License-Identifier: Apache-2.0
"""The error of setting up PyTorch."""


class SetupError(Exception):
    """One sentence that says why PyTorch cannot use the toolkit."""
