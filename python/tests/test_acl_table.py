#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function of the module acl: that it exists, refuses values of wrong types by name, and has the outputs that the headers document."""

import ctypes
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import acl
from acl import _modules, _table, _values

INCLUDE = _table.root / "include" / "acl"
BY_HAND = {"aclAppLog": "app_log", "aclopSetAttrListListInt": "op.set_attr_list_list_int", "aclGetCannAttributeList": "get_cann_attribute_list"}
RENAMED = {"aclGetDataBufferSize": "get_data_buffer_size"}    # the function of 64 bits has its name
PROTOTYPE = re.compile(r"((?:^///.*\n)*)^ACL_FUNC_VISIBILITY [\w* ]+?\b(acl\w+)\(([^;]*)\);", re.M)
DIRECTIONS = re.compile(r"^/// (\w+(?:, \w+)*) +(in|out|inout)\b", re.M)


def prototypes():
    """(comment, C name, arguments) of every function in the headers."""
    for path in sorted(INCLUDE.rglob("*.h")):
        yield from PROTOTYPE.findall(path.read_text(encoding="utf-8"))


def function(name):
    module, _, member = name.rpartition(".")
    return getattr(getattr(acl, module) if module else acl, member)


def valid_values(rows):
    """A value for each argument, of the right type."""
    values = {}
    for name, role, kind, *_ in rows:
        if role in ("in", "optional", "inout", "list", "callback", "data"):
            is_none = role not in ("in", "inout") or kind == "text" or kind.startswith("&")
            values[name] = None if is_none else {} if kind in _table.table["structs"] else 0
    return values


class Table(unittest.TestCase):
    def test_every_function_of_the_headers_has_a_name(self):
        names = [name for _, name, _ in prototypes()]
        self.assertGreater(len(names), 400)
        written = {row[0] for row in _table.table["functions"].values()}
        for name in names:
            self.assertTrue(name in written or name in BY_HAND or name in RENAMED, name)
        for name in (*_table.table["functions"], *BY_HAND.values(), *RENAMED.values()):
            self.assertTrue(callable(function(name)), name)

    def test_names_are_in_snake_case(self):
        names = {row[0]: name for name, row in _table.table["functions"].items()}
        for c_name, name in (("aclrtMemcpy2dAsync", "rt.memcpy2d_async"), ("aclrtMemsetD32", "rt.memset_d32"), ("aclrtMemP2PMap", "rt.mem_p2p_map"),
                             ("aclrtDeviceGetPCIBusId", "rt.device_get_pci_bus_id"), ("aclGetTensorDescDimV2", "get_tensor_desc_dim_v2"),
                             ("aclmdlRICaptureBegin", "mdl.ri_capture_begin"), ("aclrtUnSubscribeReport", "rt.unsubscribe_report"),
                             ("aclrtCreateEventExWithFlag", "rt.create_event_ex_with_flag"), ("aclopSetAttrListInt", "op.set_attr_list_int"),
                             ("aclprofMarkEx", "prof.mark_ex"), ("aclrtSetCurrentContext", "rt.set_context"), ("aclFinalize", "finalize")):
            self.assertEqual(names[c_name], name)

    def test_wrong_types_are_refused_by_name(self):
        checked = 0
        for name, (_, _, rows) in _table.table["functions"].items():
            values = valid_values(rows)
            self.assertEqual(list(values), list(inspect.signature(function(name)).parameters), name)
            for argument in values:
                if any(row[:2] == [argument, "data"] for row in rows):    # any object
                    continue
                with self.assertRaisesRegex(TypeError, rf"^acl\.{re.escape(name)}: argument '{argument}': expected .*, got object$"):
                    function(name)(**{**values, argument: object()})
                checked += 1
        self.assertGreater(checked, 900)

    def test_elements_of_lists_are_refused_by_place(self):
        for name, (_, _, rows) in _table.table["functions"].items():
            for argument, role, kind, *_ in rows:
                if role == "list" and kind != "text":
                    with self.assertRaisesRegex(TypeError, rf"^acl\.{re.escape(name)}: argument '{argument}': element 0: expected .*, got object$"):
                        function(name)(**{**valid_values(rows), argument: [object()]})

    def test_integers_of_every_width_are_refused_beyond_it(self):
        for name, (_, _, rows) in _table.table["functions"].items():
            for argument, role, kind, *_ in rows:
                if role in ("in", "inout") and re.match("u?int|pointer", kind):
                    message = rf"^acl\.{re.escape(name)}: argument '{argument}': expected .*, got 18446744073709551616$"
                    with self.assertRaisesRegex(OverflowError, message):
                        function(name)(**{**valid_values(rows), argument: 1 << 64})

    def test_outputs_are_those_that_the_headers_document(self):
        rows_of = {row[0]: row[2] for row in _table.table["functions"].values()}
        compared = 0
        for comment, name, declared in prototypes():
            roles = {row[0]: row[1] for row in rows_of.get(name, ())}
            for arguments, direction in DIRECTIONS.findall(comment):
                for argument in arguments.split(", "):
                    if argument not in roles or direction == "inout":    # another function's arguments, or an object that changes
                        continue
                    if direction == "out" and re.search(rf"void\* {argument}\b", declared):    # memory that the caller passes
                        continue
                    self.assertEqual(roles[argument] in ("out", "array", "all"), direction == "out", f"{name}: {argument}")
                    compared += 1
        self.assertGreater(compared, 300)

    def test_structures_are_laid_out_as_in_c(self):
        layouts, lines = {}, []
        for name, row in _table.table["structs"].items():
            if not name.endswith("."):    # an unnamed union
                structure = _values.type_of(name)
                members = [field for field, *_ in row["fields"] if field != "unnamed"]
                layouts[name] = [ctypes.sizeof(structure), *(getattr(structure, member).offset for member in members)]
                numbers = [f"sizeof({name})", *(f"offsetof({name}, {member})" for member in members)]
                lines.append(f'printf("{name}{" %zu" * len(numbers)}\\n", {", ".join(numbers)});')
        self.assertGreater(len(layouts), 30)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "layouts.c"
            source.write_text("#include <stdio.h>\n#include <acl/acl.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n", encoding="ascii")
            subprocess.run(["gcc", "-I", INCLUDE.parent, source, "-o", f"{folder}/layouts"], check=True)
            printed = subprocess.run([f"{folder}/layouts"], capture_output=True, text=True, check=True).stdout
        self.assertEqual({name: [int(number) for number in numbers] for name, *numbers in map(str.split, printed.splitlines())}, layouts)

    def test_modules_list_their_functions(self):
        self.assertLessEqual({"malloc", "memcpy", "set_context"}, set(dir(acl.rt)))
        self.assertLessEqual({"init", "rt", "util", "const", "app_log"}, set(dir(acl)))
        self.assertEqual(sys.modules["acl.rt"], acl.rt)
        self.assertEqual([name for name in _modules.names("") if "." in name], [])
        self.assertEqual((acl.const.ACL_MEMCPY_DEVICE_TO_HOST, acl.const.ACL_ERROR_RT_FEATURE_NOT_SUPPORT, acl.const.ACL_BF16), (2, 207000, 27))


if __name__ == "__main__":
    unittest.main()
