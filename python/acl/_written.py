# SPDX-License-Identifier: Apache-2.0
"""Functions of the module that the table does not describe: irregular ones, and those of models and media, which are refused."""

import ctypes
import re
import sys

from . import _values
from ._table import library

NOT_SUPPORTED = 207000


def app_log(level, message):
    """Writes a log line with the name, file and line of the caller."""
    level, message = _values.integer("acl.app_log: argument 'level'", "int32", level), _values.text("acl.app_log: argument 'message'", message)
    caller = sys._getframe(1)
    library.aclAppLog(level, caller.f_code.co_name.encode(), caller.f_code.co_filename.encode(), caller.f_lineno, b"%s", message or b"")


def set_attr_list_list_int(attr, attrName, values):
    """aclopSetAttrListListInt; returns ret"""
    what = "acl.op.set_attr_list_list_int: argument"
    attr, attrName = _values.integer(f"{what} 'attr'", "pointer", attr), _values.text(f"{what} 'attrName'", attrName)
    if not isinstance(values, (list, tuple)):
        raise _values.wrong(f"{what} 'values'", "a list of lists", values)
    lists = [_values.array(f"{what} 'values': element {place}", "int64", element) for place, element in enumerate(values)]
    lengths = (ctypes.c_int * len(lists))(*[0 if element is None else len(element) for element in lists])
    addresses = (ctypes.c_void_p * len(lists))(*[None if element is None else ctypes.addressof(element) for element in lists])
    return library.aclopSetAttrListListInt(ctypes.c_void_p(attr), attrName, len(lists), lengths, addresses)


def get_cann_attribute_list():
    """aclGetCannAttributeList; returns cannAttrList, ret"""
    values, count = ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
    ret = library.aclGetCannAttributeList(ctypes.byref(values), ctypes.byref(count))
    return values[:count.value] if ret == 0 else [], ret


def _refused(name, count, answer):
    def refuse(*arguments):
        if count is not None and len(arguments) != count:
            raise TypeError(f"acl.{name}: expected {count} arguments, got {len(arguments)}")
        return answer(*arguments) if callable(answer) else answer

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = "Refused: there are neither offline models nor functions of media."
    return refuse


# Name -> number of arguments, answer.
_REFUSED = {
    "mdl.load_from_file": (1, (0, NOT_SUPPORTED)),
    "mdl.load_from_mem": (2, (0, NOT_SUPPORTED)),
    "mdl.create_desc": (0, 0),
    "mdl.get_desc": (2, NOT_SUPPORTED),
    "mdl.get_num_inputs": (1, 0),
    "mdl.get_num_outputs": (1, 0),
    "mdl.get_input_size_by_index": (2, 0),
    "mdl.get_output_size_by_index": (2, 0),
    "mdl.create_dataset": (0, 0),
    "mdl.add_dataset_buffer": (2, lambda dataset, buffer: (dataset, NOT_SUPPORTED)),
    "mdl.execute": (3, NOT_SUPPORTED),
    "mdl.unload": (1, NOT_SUPPORTED),
}


def media(name):
    """The answer to any function of media, which are all refused: 0 as an address, otherwise the status."""
    answer = (0, NOT_SUPPORTED) if name == "dvpp_malloc" else 0 if re.search("_create_.*_(desc|config)$|_get_", name) else NOT_SUPPORTED
    return _refused(f"media.{name}", None, answer)


functions = {
    "app_log": app_log,
    "get_cann_attribute_list": get_cann_attribute_list,
    "op.set_attr_list_list_int": set_attr_list_list_int,
    **{name: _refused(name, *row) for name, row in _REFUSED.items()},
}
