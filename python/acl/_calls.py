# SPDX-License-Identifier: Apache-2.0
"""Python functions from the rows of the table. Each is compiled on its first use, so that a call costs little more than one of ctypes."""

import ctypes

from . import _callbacks, _values
from ._table import library

_WIDEST = _values.RANGES["pointer"]
_RUN_ONCE = ("aclrtLaunchCallback", "aclrtLaunchHostFunc")
_DESTROY = ("aclrtDestroyStream", "aclrtDestroyStreamForce")


def make(name, row):
    """The function of a row."""
    return _Function(name, *row).make()


class _Function:
    """The source of one function, which checks and converts its arguments, creates room for results, calls the C function, and reads them."""

    def __init__(self, name, c_name, result, arguments):
        self.name, self.c_name, self.result, self.arguments = f"acl.{name}", c_name, result, arguments
        self.signature, self.integers, self.conversions, self.rooms, self.passed, self.types, self.results, self.reads = ([] for _ in range(8))
        # No argument of a C function begins with an underscore.
        self.scope = {"_c": library[c_name], "_byref": ctypes.byref, "_values": _values, "_callbacks": _callbacks}

    def make(self):
        for name, role, kind, *more in self.arguments:
            getattr(self, f"_{role}")(name, kind, *more)
        if self.c_name in _DESTROY:
            self.reads.append("if _ret == 0: _callbacks.forget_stream(stream)")
        self._add_lengths()
        self.scope["_c"].argtypes = self.types
        self.scope["_c"].restype = None if self.result == "void" else _values.type_of({"status": "int32"}.get(self.result, self.result))
        module, _, name = self.name.rpartition(".")
        source = "\n    ".join((f"def {name}({', '.join(self.signature)}):", *self._check_integers(), *self.conversions, *self.rooms, *self._call()))
        exec(compile(source, f"<{self.name}>", "exec"), self.scope)
        function = self.scope[name]
        function.__qualname__, function.__module__ = name, module
        function.__doc__ = f"{self.c_name}; returns {', '.join([*self.results, 'ret'] if self.result == 'status' else [self.result])}"
        return function

    def _call(self):
        call = f"_c({', '.join(self.passed)})"
        if self.result in ("text", "pointer"):
            return [f"return _values.from_c({self.result!r}, {call})"]
        if not self.reads:
            return [f"return {call}"]
        results = ", ".join([*(f"{name}_value" for name in self.results), "_ret"])
        return [line.replace("CALL", call) for line in ("_ret = CALL", *self.reads, f"return {results}")]

    def _check_integers(self):
        """One comparison for all integers; each is examined only if that fails."""
        if not self.integers:
            return
        tests = [" is ".join([*(f"{name}.__class__" for name, _ in self.integers), "int"])]
        widest = [name for name, kind in self.integers if _values.RANGES[kind] == _WIDEST]
        if widest:
            tests.append(f"0 <= {' | '.join(widest)} <= {_WIDEST[1]}")
        for name, kind in self.integers:
            if name not in widest:
                low, high = _values.RANGES[kind]
                tests.append(f"{low} <= {name} <= {high}")
        yield f"if not ({' and '.join(tests)}):"
        for name, kind in self.integers:
            yield f"    {name} = _values.integer({self._what(name)!r}, {kind!r}, {name})"

    def _add_lengths(self):
        lists = {}
        for name, role, _, *more in self.arguments:
            if role == "list":
                lists.setdefault(more[0], []).append(name)
        for length, names in lists.items():
            sizes = ", ".join(f"{name!r}: {name}" for name in names)
            self.conversions.append(f"{length} = _values.same_length({self.name!r}, {{{sizes}}})")

    def _what(self, name):
        return f"{self.name}: argument '{name}'"

    def _pass(self, expression, type_):
        self.passed.append(expression)
        self.types.append(type_)

    def _convert(self, name, function, *arguments):
        self.conversions.append(f"{name} = _values.{function}({', '.join(map(repr, (self._what(name), *arguments)))}, {name})")

    def _define_type(self, name, kind):
        self.scope[f"{name}_type"] = ctypes.c_char if kind == "text" else _values.type_of(kind)

    # One method for each role.

    def _in(self, name, kind, default=""):
        self.signature.append(name + default)
        if kind in _values.RANGES:
            self.integers.append((name, kind))
        elif kind.startswith("&"):
            self._convert(name, "reference", kind[1:])
        else:
            self._convert(name, "to_c", kind)
        self._pass(name, ctypes.c_void_p if kind.startswith("&") else _values.type_of(kind))

    def _optional(self, name, kind):
        self._in(name, kind, "=None")

    def _out(self, name, kind, value=""):
        self._define_type(name, kind)
        self.rooms.append(f"{name}_object = {name}_type({value})")
        self._pass(f"_byref({name}_object)", ctypes.c_void_p)
        self.results.append(name)
        read = f"{name}_object.value" if kind in _values.TYPES else f"_values.from_c({kind!r}, {name}_object)"
        self.reads.append(f"{name}_value = {read}" + (" or 0" if kind == "pointer" else ""))

    def _inout(self, name, kind):
        self.signature.append(name)
        self.integers.append((name, kind))
        self._out(name, kind, name)

    def _list(self, name, kind, length):
        self.signature.append(name)
        self._convert(name, "to_c" if kind == "text" else "array", kind)
        self._pass(name, ctypes.c_void_p)

    def _length(self, name, kind):
        is_written = any(role == "all" and more == [name] for _, role, _, *more in self.arguments)
        self._pass(name, ctypes.c_void_p if is_written else _values.type_of(kind))

    def _array(self, name, kind, elements):
        self._define_type(name, kind)
        self.rooms.append(f"{name}_object = ({name}_type * max({elements}, 0))()")
        self._pass(f"{name}_object", ctypes.c_void_p)
        self.results.append(name)
        self.reads.append(f"{name}_value = _values.{'from_c' if kind == 'text' else 'elements'}({kind!r}, {name}_object)")

    def _all(self, name, kind, length):
        """The first call, with NULL for the array, writes the length."""
        self._define_type(name, kind)
        self._define_type(length, next(kind for other, _, kind, *_ in self.arguments if other == length))
        self.rooms += [f"{name}_object = None", f"{length}_object = {length}_type()", f"{length} = _byref({length}_object)"]
        self._pass(f"{name}_object", ctypes.c_void_p)
        self.results.append(name)
        self.reads += ["if _ret == 0:", f"    {name}_object = ({name}_type * {length}_object.value)()", "    _ret = CALL",
                       f"{name}_value = _values.elements({kind!r}, {name}_object or ())"]

    def _callback(self, name, kind):
        self.signature.append(name)
        self._pass(name, ctypes.c_void_p)
        data = next((other for other, role, *_ in self.arguments if role == "data"), None)
        what = f"{self._what(name)!r}, {kind!r}, {name}"
        if self.c_name in _RUN_ONCE:
            self.conversions.append(f"{name}, {data} = _callbacks.queue({what}, {data}, stream)")
            self.reads.append(f"if _ret != 0: _callbacks.forget({data})")
        elif data:
            self.conversions.append(f"{name}, {data} = _callbacks.register({what}, {data})")
        else:
            self.conversions.append(f"{name}, _ = _callbacks.register({what})")

    def _data(self, name, kind):
        self.signature.append(name)
        self._pass(name, ctypes.c_void_p)
