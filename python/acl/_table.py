# SPDX-License-Identifier: Apache-2.0
"""The toolkit's library, and the table of its functions, which tools/acl_module.py writes from the C headers.

functions   Python name -> [C name, result, [[argument, role, kind, ...], ...]]
callbacks   type -> {"result": kind, "parameters": kinds, "data": whether the last one is the caller's data}
structs     name -> {"union": bool, "fields": [[name, kind, elements or 0, name of the length of a list or null], ...]}
constants   name -> value

Kinds are int32, uint64 and so on, float, double, pointer, text, int64[2]: a list of that length, the name of a structure, and &NAME: its address, or a
dict with its members. Results are a kind, "status" or "void". Roles of arguments:

in, optional   the value; an optional one may be missing
out, inout     a result; an inout one is an argument too
list, KIND, N  a list, whose length is the argument N of the C function; a string if its kind is "text"
length         the length of lists: no argument in Python
array, KIND, N a result of N elements: the value of the argument N, or a number
all, KIND, N   a result of as many elements as the first of two calls writes to N
callback       a function; data: what it receives
"""

import ctypes
import json

from . import _place

root = _place.toolkit()
try:
    table = json.loads((root / _place.TABLE).read_text(encoding="ascii"))
except FileNotFoundError:
    raise ImportError(f"the toolkit in {root} has no table of the module acl") from None
library = ctypes.CDLL(str(root / "lib64" / "libascendcl.so"))
