# SPDX-License-Identifier: Apache-2.0
"""Values of Python as values of C, and back. `what` names the argument in messages: acl.rt.malloc: argument 'size'."""

import ctypes
import functools
import operator

from ._table import table

TYPES = {
    "int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "int16": ctypes.c_int16, "uint16": ctypes.c_uint16, "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32, "int64": ctypes.c_int64, "uint64": ctypes.c_uint64, "pointer": ctypes.c_void_p, "float": ctypes.c_float,
    "double": ctypes.c_double, "text": ctypes.c_char_p,
}
SIGNED = {f"int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
RANGES = {**SIGNED, **{f"uint{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}, "pointer": (0, (1 << 64) - 1)}


def wrong(what, expected, value):
    return TypeError(f"{what}: expected {expected}, got {type(value).__name__}")


def integer(what, kind, value):
    if value is None and kind == "pointer":
        return 0
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(what, "an integer or None" if kind == "pointer" else "an integer", value) from None
    low, high = RANGES[kind]
    if not low <= number <= high:
        raise OverflowError(f"{what}: expected {low} .. {high}, got {number}")
    return number


def real(what, value):
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise wrong(what, "a number", value)
    return float(value)


def text(what, value):
    """The bytes of a C string, which ends at the first 0; None for NULL."""
    if isinstance(value, str):
        value = value.encode()
    if value is not None and not isinstance(value, bytes):
        raise wrong(what, "str, bytes or None", value)
    return value


def to_c(what, kind, value):
    """What ctypes converts to an element of that kind."""
    if kind in table["structs"]:
        return structure(what, kind, value)
    if kind in ("float", "double"):
        return real(what, value)
    if kind.endswith("]"):
        return row(what, kind, value)
    return text(what, value) if kind == "text" else integer(what, kind, value)


def array(what, kind, value):
    """A C array of the elements of a list; None for NULL."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise wrong(what, "a list or None", value)
    values = [to_c(f"{what}: element {place}", kind, element) for place, element in enumerate(value)]
    result = (type_of(kind) * len(values))(*values)
    result.kept = values  # what the elements point to
    return result


def row(what, kind, value):
    """A C array of the length that the kind names."""
    element, _, count = kind[:-1].partition("[")
    result = array(what, element, value)
    if result is None:
        raise wrong(what, "a list", value)
    if len(result) != int(count):
        raise ValueError(f"{what}: expected {count} elements, got {len(result)}")
    return result


def same_length(what, arrays):
    """The length of arrays that have one length in common."""
    lengths = {name: 0 if values is None else len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{what}: expected lists of one length, got " + ", ".join(f"'{name}' of {length}" for name, length in lengths.items()))
    return next(iter(lengths.values()))


def type_of(kind):
    """The type of ctypes for a kind, which may be a structure."""
    if kind.endswith("]"):
        element, _, count = kind[:-1].partition("[")
        return TYPES[element] * int(count)
    return TYPES.get(kind) or _structure_type(kind)


@functools.cache
def _structure_type(name):
    row = table["structs"][name]
    fields = []
    for field, kind, count, length in row["fields"]:
        if kind == "binary":
            kind = "uint8"
        element = ctypes.c_char if kind == "text" and count else TYPES["pointer"] if length else type_of(kind)
        fields.append((field, element * count if count else element))
    unnamed = [field for field, _ in fields if field == "unnamed"]
    return type(name, (ctypes.Union if row["union"] else ctypes.Structure,), {"_anonymous_": unnamed, "_fields_": fields})


def structure(what, name, value):
    """A structure with the members that a dict names; the others are 0."""
    if not isinstance(value, dict):
        raise wrong(what, "a dict", value)
    result = _structure_type(name)()
    known = dict(_members(name))
    for member, given in value.items():
        if member not in known:
            raise TypeError(f"{what}: no member {member!r}; expected some of {', '.join(known)}")
        _set_member(result, f"{what}: member '{member}'", member, known[member], given)
    for member, (_, _, length) in known.items():
        given = value.get(member)
        if length and isinstance(given, (list, tuple)):
            if value.get(length, len(given)) != len(given):
                raise ValueError(f"{what}: expected '{length}' {len(given)}, the length of '{member}', got {value[length]}")
            setattr(result, length, len(given))
    return result


def _members(name):
    for field, *row in table["structs"][name]["fields"]:
        if field == "unnamed":
            yield from _members(row[0])
        else:
            yield field, row


def _keep(result, held):
    """Keeps what a member points to as long as the structure."""
    result.kept = (getattr(result, "kept", ()), held)


def _set_member(result, what, member, row, value):
    kind, most, length = row
    if length and isinstance(value, (list, tuple)):
        held = array(what, kind, value)
        _keep(result, held)
        setattr(result, member, ctypes.addressof(held))
    elif length:
        setattr(result, member, integer(what, "pointer", value))
    elif not most:
        held = to_c(what, kind, value)
        _keep(result, held)
        setattr(result, member, held)
    elif kind in ("text", "binary"):
        given = text(what, value) or b""
        if len(given) > most:
            raise ValueError(f"{what}: expected at most {most} bytes, got {len(given)}")
        ctypes.memmove(ctypes.addressof(result) + getattr(type(result), member).offset, given, len(given))
    else:
        given = array(what, kind, value)
        if given is None or len(given) > most:
            raise ValueError(f"{what}: expected at most {most} elements, got {given and len(given)}")
        getattr(result, member)[:len(given)] = given


def reference(what, name, value):
    """A pointer to a structure, which is given as a dict, as its address, or as None."""
    if isinstance(value, dict):
        return ctypes.byref(structure(what, name, value))
    try:
        return integer(what, "pointer", value)
    except TypeError:
        raise wrong(what, "a dict, an address or None", value) from None


def from_c(kind, value):
    """The Python value of an element, or of an object of ctypes."""
    if kind in table["structs"]:
        return {member: _member(value, member, row) for member, row in _members(kind)}
    value = getattr(value, "value", value)
    if kind == "text":
        return (value or b"").decode(errors="replace")
    return 0 if value is None else value


def elements(kind, values):
    return [from_c(kind, value) for value in values]


def _member(value, member, row):
    kind, count, length = row
    found = getattr(value, member)
    if kind == "binary":
        return bytes(found)
    if count and kind != "text":
        return elements(kind, found)
    return from_c("pointer" if length else kind, found)
