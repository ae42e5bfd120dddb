#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of the module acl: every function exists, refuses wrong types by name, and has the outputs that the headers document."""

import ctypes
import inspect
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import acl
from acl import _modules, _table, _values

INCLUDE = _table.root / "include" / "acl"
GENERATOR = pathlib.Path(__file__).resolve().parents[2] / "tools" / "acl_module.py"
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

    def test_calls_with_null_and_0_return_what_the_table_says(self):
        run = subprocess.run([sys.executable, __file__, "calls"], text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, f"{len(_table.table['functions'])} functions\n"), run.stderr[-500:])

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
            if name in rows_of:
                self.assertEqual(len(rows_of[name]), 0 if declared == "void" else len(re.split(r",(?![^()]*\))", declared)), name)
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


class Generator(unittest.TestCase):
    def generate(self, declarations):
        """What tools/acl_module.py writes for a header, or its error."""
        with tempfile.TemporaryDirectory() as folder:
            header, table = pathlib.Path(folder) / "acl" / "a.h", pathlib.Path(folder) / "table.json"
            header.parent.mkdir()
            header.write_text(declarations, encoding="ascii")
            run = subprocess.run([sys.executable, GENERATOR, folder, table], text=True, capture_output=True, check=False)
            return json.loads(table.read_text(encoding="ascii")) if run.returncode == 0 else run.stderr

    def test_rows(self):
        table = self.generate("""
typedef void* aclrtStream;
typedef int aclError;
#define ACL_B (1 << 4)
typedef enum aclMode { ACL_ONE = 1, ACL_TWO } aclMode;
typedef struct aclPair {
  aclMode mode;
  char name[ACL_B];
} aclPair;
ACL_FUNC_VISIBILITY aclError aclrtGetV2(const aclrtStream s, aclMode mode, aclPair* pair,
                                        uint32_t* const count);
ACL_FUNC_VISIBILITY void aclSet(int numDims, const int64_t* dims, const char* name, void* memory);
ACL_FUNC_VISIBILITY void aclSetRange(size_t dimsCount, int64_t dimsRange[][2]);
""")
        self.assertEqual(table["functions"], {
            "rt.get_v2": ["aclrtGetV2", "status", [
                ["s", "in", "pointer"], ["mode", "in", "int32"], ["pair", "out", "aclPair"], ["count", "out", "uint32"]]],
            "set": ["aclSet", "void", [
                ["numDims", "length", "int32"], ["dims", "list", "int64", "numDims"], ["name", "in", "text"], ["memory", "in", "pointer"]]],
            "set_range": ["aclSetRange", "void", [["dimsCount", "length", "uint64"], ["dimsRange", "list", "int64[2]", "dimsCount"]]],
        })
        self.assertEqual(table["constants"], {"ACL_B": 16, "ACL_ONE": 1, "ACL_TWO": 2})
        self.assertEqual(table["structs"]["aclPair"]["fields"], [["mode", "int32", 0, None], ["name", "text", 16, None]])

    def test_what_the_rules_do_not_cover_is_an_error(self):
        for argument, message in (("aclOther x", "unknown type 'aclOther'"), ("char* text", "'text' receives text, but ROOMS does not say how much"),
                                  ("int ranges[][2]", "'ranges' is an array of arrays"), ("int dimsRange[][2]", "'dimsRange' is an array of arrays"), ("int", "cannot read 'int'")):
            self.assertEqual(self.generate(f"ACL_FUNC_VISIBILITY void aclGo({argument});\n"), f"acl_module.py: aclGo: {message}\n")


def call_all():
    """Calls every function, in a process of its own, as a function may end it."""
    acl.init()
    acl.rt.set_device(0)
    for name, (_, result, rows) in _table.table["functions"].items():
        print(name, file=sys.stderr, flush=True)
        got = function(name)(**valid_values(rows))
        outputs = sum(row[1] in ("out", "inout", "array", "all") for row in rows)
        expected = {"void": type(None), "text": str}.get(result, float if result == "float" else int)
        *values, last = got if outputs else (got,)
        assert isinstance(last, expected) and len(values) == outputs, f"{name}: {got}"
    print(f"{len(_table.table['functions'])} functions")


if __name__ == "__main__":
    if sys.argv[1:] == ["calls"]:
        call_all()
    else:
        unittest.main()
