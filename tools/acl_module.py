#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the Python module `acl` from the C headers: which functions it has, and what their arguments are.

    acl_module.py INCLUDE OUT.json    reads INCLUDE/acl and writes the table, which python/acl/_table.py describes

A pointer to something that is not const is an output; the tables below list the exceptions. A prototype that the rules do not cover
is an error.
"""

import json
import pathlib
import re
import sys

SCALARS = {
    "int": "int32", "int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16", "int32_t": "int32", "uint32_t": "uint32",
    "int64_t": "int64", "uint64_t": "uint64", "size_t": "uint64", "float": "float", "double": "double", "char": "char", "bool": "uint8",
}
NAMESPACES = [("aclrt", "rt."), ("aclmdl", "mdl."), ("aclop", "op."), ("aclprof", "prof."), ("acltdt", "tdt."), ("acldvpp", "media.dvpp_"),
              ("aclvdec", "media.vdec_"), ("aclvenc", "media.venc_"), ("acl", "")]

# Names that do not follow from the C name, which may have two.
NAMES = {
    "aclrtSetCurrentContext": ["rt.set_context"],
    "aclrtGetCurrentContext": ["rt.get_context"],
    "aclrtGetSocName": ["get_soc_name", "rt.get_soc_name"],
    "aclGetDataBufferSize": [],  # of 32 bits; the name is that of the next one
    "aclGetDataBufferSizeV2": ["get_data_buffer_size", "get_data_buffer_size_v2"],
    # Written by hand: a list of lists, and a list of the library's.
    "aclopSetAttrListListInt": [],
    "aclGetCannAttributeList": [],
}
OPTIONAL = {("aclInit", "configPath")}

# Array -> its possible lengths. If the prototype has one of them, both are a list in Python; a string, if the array is text.
LENGTHS = {
    "dims": ["numDims"], "values": ["numValues"], "inputDesc": ["numInputs"], "inputs": ["numInputs"], "outputDesc": ["numOutputs"],
    "outputs": ["numOutputs"], "deviceIdList": ["deviceNums"], "dsts": ["numBatches"], "destMaxs": ["numBatches"], "srcs": ["numBatches"],
    "sizes": ["numBatches", "count"], "attrs": ["numAttrs"], "attrsIndexes": ["numAttrs"], "addrList": ["size"], "pid": ["num", "pidNum"],
    "serverPids": ["num"], "notifies": ["num"], "labels": ["num"], "attributes": ["numAttributes"], "data": ["numAttributes"],
    "dataSizes": ["numAttributes"], "ptrs": ["count"], "prefetchLocs": ["numPrefetchLocs"], "prefetchLocIdxs": ["numPrefetchLocs"],
    "placeHolderArray": ["placeHolderNum"], "operations": ["count"], "desc": ["count"], "memUceInfoArray": ["arraySize"],
    "options": ["numOpt"], "modelRIArray": ["size"], "profilerResultPath": ["length"], "config": ["configLength"],
    "msg": ["msgLen"], "extendInfoPtr": ["infoSize"], "dimsRange": ["dimsCount"], "valueRange": ["valueCount"],
}
# Output array -> the argument that says how many elements there is room for.
ROOMS = {
    ("aclrtGetMemUsageInfo", "memUsageInfo"): "inputNum",
    ("aclrtGetMemUceInfo", "memUceInfoArray"): "arraySize",
    ("aclrtDeviceGetHostAtomicCapabilities", "capabilities"): "count",
    ("aclrtDeviceGetP2PAtomicCapabilities", "capabilities"): "count",
    ("aclrtDeviceGetPCIBusId", "pciBusId"): "len",
    ("aclrtIpcMemGetExportKey", "key"): "len",
    ("aclrtNotifyGetExportKey", "key"): "len",
    ("aclrtGetFunctionName", "name"): "maxLen",
    ("aclmdlRIGetName", "name"): "maxLen",
    ("acldumpGetExceptionInfoPath", "path"): "maxLen",
    ("aclprofGetOpType", "opType"): "opTypeLen",
    ("aclprofGetOpName", "opName"): "opNameLen",
    ("aclsysGetVersionStr", "versionStr"): 128,
    ("aclGetTensorDescDimRange", "dimRange"): "dimRangeNum",
    ("aclGetCompileopt", "value"): "length",
}
# Arrays that a first call without them counts, and a second one fills.
TWO_CALLS = {("aclmdlRIGetStreams", "streams"): "numStreams", ("aclmdlRIGetTasksByStream", "tasks"): "numTasks"}
IN_OUT = {("aclmdlRICaptureThreadExchangeMode", "mode")}
# Inputs in spite of their type: structures that are only read, and single arguments.
ONLY_READ = {
    "aclrtMallocConfig", "aclrtBinaryLoadOptions", "aclrtLaunchKernelCfg", "aclrtCntNotifyRecordInfo", "aclrtCntNotifyWaitInfo",
    "aclrtSnapShotBackupArgs", "aclrtSnapShotRestoreArgs",
}
INPUTS = {
    ("aclrtSetStreamAttribute", "value"), ("aclmdlRITaskSetParams", "params"), ("aclrtMemGetAllocationGranularity", "prop"),
    ("aclrtMemGetAccess", "location"), ("aclsysGetVersionStr", "pkgName"), ("aclsysGetVersionNum", "pkgName"),
    ("aclrtMemcpyAsyncWithOffset", "dst"), ("aclrtMemcpyAsyncWithOffset", "src"), ("aclrtLaunchKernelWithArgsArray", "args"),
    ("aclrtLaunchSIMTKernelWithArgsArray", "args"),
}
HANDLES = {"aclrtStreamConfigHandle"}  # structures that a function creates and others receive by address
BINARY = {("aclrtUuid", "bytes"), ("aclrtIpcEventHandle", "reserved")}  # arrays of char that are not text
USER_DATA = ("userData", "args")

CONSTANT = re.compile(r"^(?:#define (\w+) |static const \w+ (\w+) = )([^;\n]+);?$", re.M)
PARAMETER = re.compile(r"(?P<const>const )?(?:struct )?(?P<base>\w+)(?P<stars>(?: ?\*(?: ?const\b)?)*) ?(?P<name>\w+)?(?P<array>(?:\[\w*\])*)$")
POINTER = re.compile(r"\*( ?const\b)?")


class Error(Exception):
    """A declaration that the rules do not cover."""


def snake(name):
    """DeviceGetPCIBusId -> device_get_pci_bus_id; memcpy2dAsync -> memcpy2d_async; a 'V2' or 'Ex' is a word of its own."""
    name = re.sub(r"Un(?=Subscribe|Register|Load)(\w)", lambda match: "Un" + match[1].lower(), name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def python_names(function):
    if function in NAMES:
        return NAMES[function]
    prefix, namespace = next((prefix, namespace) for prefix, namespace in NAMESPACES if function.startswith(prefix))
    return [namespace + snake(function[len(prefix):])]


def split(text):
    """The parts between the commas that are not in brackets."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip() not in ("", "void")]


class Headers:
    def __init__(self, folder):
        texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.h"))]
        text = re.sub(r"//.*", "", "\n".join(texts))
        text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif", "", text, flags=re.M | re.S)
        self.text = re.sub(r"\\\n", " ", text)
        self.constants, self.structs, self.callbacks, self.functions = {}, {}, {}, {}
        self.kinds = {**SCALARS, "void": "void"}
        self.read_enums()
        self.read_constants()
        self.read_typedefs()
        self.read_structs()
        self.read_functions()

    def value(self, text):
        """The value of a constant; None for a macro that is none."""
        text = re.sub(r"(?<=[0-9a-fA-F])(?:[uU][lL]*|[lL]+)\b", "", text.strip())
        try:
            return int(eval(text, {"__builtins__": {}}, self.constants))  # arithmetic of our own headers
        except (NameError, SyntaxError, TypeError, ValueError):
            return None

    def read_constants(self):
        for match in CONSTANT.finditer(self.text):
            value = self.value(match[3])
            if value is not None:
                self.constants[match[1] or match[2]] = value

    def read_enums(self):
        for match in re.finditer(r"typedef enum \w+ \{(.*?)\} (\w+);", self.text, re.S):
            following = 0
            for entry in split(match[1]):
                name, _, value = entry.partition("=")
                following = self.value(value) if value else following
                self.constants[name.strip()] = following
                following += 1
            self.kinds[match[2]] = "int32"

    def read_typedefs(self):
        for match in re.finditer(r"typedef (struct )?(\w+)(\*?) (\w+);", self.text):
            self.kinds[match[4]] = "opaque" if match[1] else "pointer" if match[3] else SCALARS[match[2]]
        for match in re.finditer(r"typedef ([\w* ]+?) ?\(\*(\w+)\)\(([^;]*)\);", self.text):
            self.add_callback(match[2], match[1], split(match[3]))

    def add_callback(self, name, result, parameters):
        parsed = [PARAMETER.match(parameter) for parameter in parameters]
        self.kinds[name] = "callback"
        self.callbacks[name] = {
            "result": "pointer" if "*" in result else self.kinds[result],
            "parameters": ["text" if p["base"] == "char" else "pointer" if p["stars"] else self.kinds[p["base"]] for p in parsed],
            "data": any(p["name"] in USER_DATA for p in parsed[-1:]),
        }

    def read_structs(self):
        found = re.findall(r"(?:typedef )?(struct|union) (\w+) \{(.*?)^\}[ \w]*;", self.text, re.M | re.S)
        self.kinds |= {name: "opaque" if name in HANDLES else "struct" for _, name, _ in found}
        for kind, name, body in found:
            if name not in HANDLES:
                self.add_struct(name, kind, body)

    def add_struct(self, name, kind, body):
        self.kinds[name] = "struct"
        unnamed = re.search(r"(?:__extension__ )?(struct|union) \{([^{}]*)\};", body)
        if unnamed:
            self.add_struct(name + ".", unnamed[1], unnamed[2])
            body = body.replace(unnamed[0], f"{name}. unnamed;")
        members = [re.match(r"([\w.]+)(\*?) (\w+)(?:\[(\w+)\])?$", " ".join(member.split())) or self.fail(f"cannot read '{member}' in {name}")
                   for member in body.split(";") if member.strip()]
        names = [member[3] for member in members]
        fields = []
        for base, star, field, size in (member.groups() for member in members):
            length = next((length for length in LENGTHS.get(field, ()) if length in names), None)
            kind_of_field = self.kind_of_element(base) if not star or length else "pointer"
            if kind_of_field == "char":
                kind_of_field = "binary" if (name, field) in BINARY else "text"
            fields.append([field, kind_of_field, int(self.constants.get(size, size or 0)), length if star else None])
        self.structs[name] = {"union": kind == "union", "fields": fields}

    def kind_of_element(self, base):
        """The kind of a value of that type; the type itself if it is a structure."""
        kind = self.kinds.get(base) or self.fail(f"unknown type '{base}'")
        return base if kind == "struct" else "pointer" if kind == "opaque" else kind

    def fail(self, why):
        raise Error(why)

    def read_functions(self):
        for match in re.finditer(r"^ACL_FUNC_VISIBILITY ([\w* ]+?) ?\b(acl\w+)\(([^;]*)\);", self.text, re.M):
            result, function, parameters = match[1], match[2], split(" ".join(match[3].split()))
            if "..." in parameters:
                continue
            try:
                row = [function, self.result(result), self.parameters(function, parameters)]
            except Error as error:
                raise Error(f"{function}: {error}") from None
            self.functions.update(dict.fromkeys(python_names(function), row))

    def result(self, text):
        return "text" if text == "const char*" else "pointer" if "*" in text else "status" if text == "aclError" else self.kinds[text]

    def parameters(self, function, texts):
        parsed = []
        for text in texts:
            inline = re.match(r"(\w+) \(\*(?:const )?(\w+)\)\((.*)\)$", text)
            if inline:
                self.add_callback(function + "." + inline[2], inline[1], split(inline[3]))
                text = f"{function}.{inline[2]} {inline[2]}"
            parsed.append(re.match(r"(?P<const>)(?P<base>[\w.]+)(?P<stars>) (?P<name>\w+)(?P<array>)$", text) if inline else PARAMETER.match(text))
            if not parsed[-1] or not parsed[-1]["name"]:
                raise Error(f"cannot read '{text}'")
        names = [match["name"] for match in parsed]
        callback = next((self.callbacks[match["base"]] for match in parsed if match["base"] in self.callbacks), {"data": False})
        rows = [self.parameter(function, match, names) for match in parsed]
        if callback["data"]:
            rows = [[row[0], "data", row[2]] if row[0] in USER_DATA else row for row in rows]
        # The caller does not pass the length of a list.
        lengths = {length for _, role, _, length in (row for row in rows if len(row) == 4) if role in ("list", "all")}
        return [[row[0], "length", row[2]] if row[0] in lengths else row for row in rows]

    def parameter(self, function, match, names):
        """[name, role, kind, ...]; python/acl/_table.py describes the roles."""
        base, name = match["base"], match["name"]
        key, kind = (function, name), self.kinds.get(base) or self.fail(f"unknown type '{base}'")
        rows = re.fullmatch(r"\[\](\[\d+\])", match["array"])
        length = next((length for length in LENGTHS.get(name, ()) if length in names), None)
        if rows and length and not match["stars"]:
            return [name, "list", self.kind_of_element(base) + rows[1], length]
        if match["array"] not in ("", "[]"):
            raise Error(f"'{name}' is an array of arrays")
        pointers = [bool(const) for const in POINTER.findall(match["stars"])] + [False] * len(match["array"][:1])
        if kind == "callback":
            return [name, "callback" if not pointers else "out", base if not pointers else "pointer"]
        if not pointers:
            return [name, "optional" if key in OPTIONAL else "in", self.kind_of_element(base)]
        is_const = pointers[-2] if len(pointers) > 1 else bool(match["const"])
        element = "pointer" if len(pointers) > 1 else self.kind_of_element(base)
        if key in ROOMS:
            return [name, "array", "text" if element == "char" else element, ROOMS[key]]
        if key in TWO_CALLS:
            return [name, "all", element, TWO_CALLS[key]]
        if length and (len(pointers) > 1 or kind not in ("void", "opaque")):
            return [name, "list", "text" if element == "char" else element, length]
        if len(pointers) == 1 and kind in ("void", "opaque"):
            return [name, "in", "pointer"]
        if is_const or key in INPUTS or base in ONLY_READ:
            is_address = len(pointers) > 1 or kind not in ("char", "struct")
            return [name, "optional" if key in OPTIONAL else "in", "pointer" if is_address else "text" if kind == "char" else "&" + base]
        if element == "char":
            raise Error(f"'{name}' receives text, but ROOMS does not say how much")
        return [name, "inout" if key in IN_OUT else "out", element]


def main(arguments):
    if len(arguments) != 2:
        print(__doc__)
        return 2
    try:
        headers = Headers(pathlib.Path(arguments[0]) / "acl")
    except Error as error:
        print(f"acl_module.py: {error}", file=sys.stderr)
        return 1
    table = {name: getattr(headers, name) for name in ("functions", "callbacks", "structs", "constants")}
    out = pathlib.Path(arguments[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(table, separators=(",", ":")) + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
