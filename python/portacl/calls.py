# SPDX-License-Identifier: Apache-2.0
"""Every operator of the library as a Python function. The parameters are read from the library's schemas; no operator is named here."""

import collections
import difflib
import functools
import inspect
import keyword
import types

from . import _arrays, _library, _values

_IS_INPUT = ("in", "in and out", "attribute")
_IS_RESULT = ("out", "in and out")


class Error(RuntimeError):
    """The library refused a call, or failed to execute it. The text is the library's message.

    code      its status: 161001 a null pointer, 161002 an invalid argument, 561003 an SoC without the operator ...
    operator  the name of the operator
    """

    def __init__(self, message, code, operator):
        super().__init__(f"{message} (status {code})")
        self.code = code
        self.operator = operator


def run(operator, /, *arguments, **named):
    """Runs an operator: run("aclnnLogitGrad", x=x, dy=dy, eps=-1.0).

    Tensors are NumPy arrays, or objects with __dlpack__ in host memory, such as PyTorch tensors on the CPU. Their memory is used without a copy.
    Outputs may be given; missing ones are created, as PyTorch tensors if the first array is one, otherwise as NumPy arrays.

    Returns the output, or a named tuple of several. Raises Error if the library refuses the call, TypeError for unknown, missing or
    unreadable arguments, ValueError for an unknown operator.
    """
    return _find(operator)(*arguments, **named)


def prepare(operator, /, *arguments, **named):
    """The same call, to be repeated on the same arrays: prepare("aclnnExp", x)(1000) runs it a thousand times, and converts the arguments once.

    The returned object keeps the arrays alive; `results` is what run() would return. Nothing is computed before it is called.
    """
    found = _find(operator)
    return _Prepared(found, found.call_of(arguments, named))


def operators():
    """Names of the operators -> their schemas, as `portacl ops --json` prints them."""
    return {name: dict(found.description) for name, found in _operators().items()}


def __getattr__(name):
    if name.startswith("aclnn"):
        found = _operators().get(name)
        if found is not None:
            return found.function
        raise AttributeError(f"module 'portacl' has no operator '{name}'{_did_you_mean(name, _operators())}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _operators():
    return {found["operator"]: _Operator(number, found) for number, found in enumerate(_library.operators())}


def _find(name):
    found = _operators().get(name)
    if found is None:
        raise ValueError(f"unknown operator '{name}'{_did_you_mean(name, _operators())}")
    return found


def _did_you_mean(name, candidates):
    lower = {candidate.lower(): candidate for candidate in candidates}
    near = difflib.get_close_matches(str(name).lower(), lower, 1)
    return f" (did you mean '{lower[near[0]]}'?)" if near else ""


def _python_name(argument):
    """The PEP 8 spelling of a name that is a keyword: `from_`."""
    return argument + "_" if keyword.iskeyword(argument) else argument


class _Operator:
    def __init__(self, number, description):
        self.description = description
        self.name = description["operator"]
        self.arguments = [types.SimpleNamespace(**argument) for argument in description["arguments"]]
        for argument in self.arguments:
            argument.name = _python_name(argument.name)
        self.number = number
        self._inputs = [argument for argument in self.arguments if argument.role in _IS_INPUT]
        self._by_name = {argument.name: argument for argument in self.arguments}
        results = [argument.name for argument in self.arguments if argument.role in _IS_RESULT]
        self._results = collections.namedtuple(self.name + "Results", results)
        self.function = self._make_function()

    def __call__(self, /, *arguments, **named):
        call = self.call_of(arguments, named)
        self.check(_library.load().PortaclCall(self.number, call.arguments))
        return self.results(call)

    def call_of(self, arguments, named):
        """The call, with its outputs created."""
        call = _Call(self, self._bind(arguments, named))
        if _library.load().PortaclDescribeOutputs(self.number, call.arguments) != 0:
            raise TypeError(f"{self.name}: {_library.message()}")
        call.make_outputs()
        return call

    def check(self, status):
        if status != 0:
            raise Error(_library.message(), status, self.name)

    def results(self, call):
        results = call.results()
        return results[0] if len(results) == 1 else self._results(*results)

    def _bind(self, arguments, named):
        """name -> value, for the arguments that were given."""
        if len(arguments) > len(self._inputs):
            raise TypeError(f"{self.name} takes {len(self._inputs)} arguments without a name, got {len(arguments)}")
        given = {argument.name: value for argument, value in zip(self._inputs, arguments)}
        for name, value in named.items():
            if name not in self._by_name:
                raise TypeError(f"{self.name} has no argument '{name}'{_did_you_mean(name, self._by_name)}")
            if name in given:
                raise TypeError(f"{self.name}: argument '{name}' is given twice")
            given[name] = value
        for argument in self._inputs:
            if argument.name not in given and not argument.optional:
                raise TypeError(f"{self.name} needs '{argument.name}': {_values.expected(argument.kind)}")
        return given

    def _make_function(self):
        def function(*arguments, **named):
            return self(*arguments, **named)

        function.__name__ = function.__qualname__ = self.name
        function.__module__ = "portacl"
        function.__doc__ = self._documentation()
        function.__signature__ = inspect.Signature(self._parameters())
        return function

    def _parameters(self):
        """Inputs in the order of the C function, then outputs by name; optional ones may be None."""
        parameters = []
        for place, argument in enumerate(self._inputs):
            rest_is_optional = all(later.optional for later in self._inputs[place:])
            default = None if rest_is_optional else inspect.Parameter.empty
            parameters.append(inspect.Parameter(argument.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
        for argument in self.arguments:
            if argument.role not in _IS_INPUT:
                parameters.append(inspect.Parameter(argument.name, inspect.Parameter.KEYWORD_ONLY, default=None))
        return parameters

    def _documentation(self):
        lines = [self.description["formula"], ""]
        for argument in self.arguments:
            optional = ", may be None" if argument.optional else ", made if not given" if argument.role == "out" else ""
            lines.append(f"{argument.name:<20} {argument.kind}, {argument.role}{optional}")
        lines += ["", f"Accuracy: {self.description['accuracy']}.", f"Source: {self.description['source']}.", ""]
        products = {name: limits for name, limits in self.description["products"].items() if limits is not None}
        lines += [f"{name:<14} {', '.join(limits['dtypes']) or 'any dtype'}" for name, limits in products.items()]
        for name, limits in list(products.items())[:1]:
            lines += ["", f"Checks on {name}, in this order; the first that fails gives Error.code:"]
            lines += [f"  {check['status']:<7} {check['rule']}" for check in limits["checks"]]
        return "\n".join(lines)


class _Prepared:
    """A call whose arguments the library has converted once."""

    def __init__(self, operator, call):
        self._operator, self._call, self._library = operator, call, _library.load()
        self._handle = self._library.PortaclPrepare(operator.number, call.arguments)
        if self._handle is None:
            raise MemoryError(f"{operator.name}: {_library.message()}")

    def __call__(self, times=1):
        self._operator.check(self._library.PortaclRepeat(self._handle, times))

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self._library.PortaclRelease(self._handle)

    @property
    def results(self):
        return self._operator.results(self._call)


class _Call:
    """One call: the arguments for the library, and the objects that they point to."""

    def __init__(self, operator, given):
        self._operator = operator
        self.arguments = (_library.Argument * len(operator.arguments))()
        self._operands = {}  # argument name -> its arrays
        for argument, slot in zip(operator.arguments, self.arguments):
            value = given.get(argument.name)
            if argument.kind in ("tensor", "list of tensors"):
                self._add_tensors(argument, slot, value)
            elif value is not None or not argument.optional:
                _values.fill(slot, self._what(argument), argument.kind, value)

    def make_outputs(self):
        """Creates arrays for the outputs, as the library describes them."""
        first = next((operand.value for operands in self._operands.values() for operand in operands), None)
        for argument, slot in zip(self._operator.arguments, self.arguments):
            if slot.given or not slot.tensors:
                continue
            made = _arrays.empty(self._what(argument), slot.tensors[0], first)
            self._set_tensors(argument, slot, [_arrays.Operand(self._what(argument), made, True)])

    def results(self):
        """The output arrays, in the order of the arguments; None for optional ones that were not requested."""
        results = []
        for argument, slot in zip(self._operator.arguments, self.arguments):
            if argument.role not in _IS_RESULT:
                continue
            operands = self._operands.get(argument.name, [])
            for operand in operands:
                operand.write_back()
            values = [operand.result(tensor) for operand, tensor in zip(operands, slot.tensors[: slot.count] if operands else ())]
            results.append(values if argument.kind == "list of tensors" else values[0] if values else None)
        return results

    def _what(self, argument):
        return f"{self._operator.name}: argument '{argument.name}'"

    def _add_tensors(self, argument, slot, value):
        is_list, is_written = argument.kind == "list of tensors", argument.role in _IS_RESULT
        if value is None and argument.role == "out" and not is_list:
            if not argument.optional:
                slot.tensors = _arrays.pointer_to([_library.Tensor()])
            return
        if value is None and argument.optional:
            return
        if is_list and not isinstance(value, (list, tuple)):
            raise TypeError(f"{self._what(argument)}: expected {_values.expected(argument.kind)}, got {type(value).__name__}")
        values = value if is_list else [value]
        self._set_tensors(argument, slot, [_arrays.Operand(self._what(argument), v, is_written) for v in values])

    def _set_tensors(self, argument, slot, operands):
        self._operands[argument.name] = operands
        slot.tensors = _arrays.pointer_to([operand.tensor for operand in operands])
        slot.given, slot.count = 1, len(operands)
