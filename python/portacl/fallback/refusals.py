# SPDX-License-Identifier: Apache-2.0
"""Which errors of the plug-in's kernels mean that the CPU should compute the call. refusals.h is the same in C++.

The toolkit reports by a number what it refused. For calls that do not reach the toolkit, the plug-in's error is examined: it
names an operator that the toolkit does not export, or is one of the plug-in's own refusals. Any other error goes to the caller.
"""

import ctypes
import re

# The plug-in's own messages for what a card does not support; regular expressions, also used in C++.
OF_PLUGIN = (
    r"current operator \w+ do not have aclnn implementation",
    r"not support(?:ed)? on (?:Ascend950|this soc)|no longer supported on Ascend950|Ascend950 not support",
    r"Input data type should not be float64",
    r"svd_npu only supported Float",
    r"npu (?:dose|does) not support float64",
    r"not support torch\.fp64 dtypes",
    r"is not support int8 dtype",
    r"input only supported Int32, Float16, Float32",
    r"Renorm only support float16 or float32 type",
    r"is not supported for tensor with data type",
    r"only supports torch\.float16 and torch\.float32 dtypes",
)
_OF_PLUGIN = re.compile("|".join(OF_PLUGIN))
_NAME = re.compile(r"\b(aclnn[A-Z]\w*?)(?:GetWorkspaceSize)?\b")
# Messages of the plug-in's own operators for a toolkit that lacks what they need.
_FAILED = re.compile(r"aclnn\w+ failed, error code is")
_WANTED = re.compile(r"\baclnn|\bCANN\b|\bcann\b|operator \w+ do not support")
_ABSENT = re.compile(r"not found|not in lib|does not exist|do not|don't support|not support|[Uu]pgrade|[Uu]pdate|only aclnn|there is no aclnn")
_PRODUCT, _DTYPE, _OTHER = 1, 2, 3

_process = ctypes.CDLL(None)
_take = ctypes.CDLL("libportacl_python.so").PortaclTakeRefusal
_take.argtypes = [ctypes.POINTER(ctypes.c_char_p)]


def take():
    """(number, operator) of phase 1's last refusal in this thread, which is then cleared."""
    name = ctypes.c_char_p()
    return _take(ctypes.byref(name)), (name.value or b"").decode()


def is_exported(name):
    return hasattr(_process, name) and hasattr(_process, name + "GetWorkspaceSize")


def not_found(error, of_plugin=False):
    """The name that a kernel of the plug-in did not find; None if `error` has another reason. Called once per error.

    of_plugin: for the plug-in's own operators, which have more messages for it.
    """
    number, name = take()
    if number in (_PRODUCT, _DTYPE):
        return name + (" (561003)" if number == _PRODUCT else " (dtype)")
    if number == _OTHER:
        return None
    text = str(error)
    absent = next((name for name in _NAME.findall(text) if not is_exported(name)), None)
    if absent or _OF_PLUGIN.search(text):
        return absent or "any aclnn operator"
    if not of_plugin or _FAILED.search(text) or not (_WANTED.search(text) and _ABSENT.search(text)):
        return None
    name = _NAME.search(text)
    return name[1] if name else "any aclnn operator"
