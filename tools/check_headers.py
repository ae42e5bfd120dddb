#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what public headers declare with the lists of exported names, and with the client that names every field.

    check_headers.py <include folder of a build, where the headers of operators are>

Every declaration marked ACL_FUNC_VISIBILITY or ACLNN_API must have a comment of its own and stand in exactly one list of
tests/contract/exports/; every listed name must be declared; lists are sorted. Functions of absent_features.cc, which do
nothing or refuse, may share the comment of the unbroken block of declarations they stand in. The client in
tests/contract/headers/, which is compiled as C and as C++, names each field of each struct and union, and each enumerator:
layouts.inc and enumerators.inc hold what the headers declare and nothing else.
Headers of operators include the same few of include/, and none another operator's: programs declare some functions anew, and
may not meet declarations that they did not ask for.
Prints what is wrong; exit status 1.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(r"^(?:ACL_FUNC_VISIBILITY|ACLNN_API)\s[^;(]*?(\w+)\(", re.MULTILINE)
ABSENT = re.compile(r"^(?:SUCCEED|REFUSE|REFUSE_RESULT)\((\w+)\)", re.MULTILINE)
COMMENT = re.compile(r"//.*|/\*.*?\*/|^#.*(?:\\\n.*)*", re.MULTILINE)
AGGREGATE = re.compile(r"\b(struct|union|enum)\s*(\w*)\s*(?::\s*\w+\s*)?\{([^{}]*)\}\s*(\w*)\s*;")
INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)", re.MULTILINE)
OPERATOR_INCLUDES = ["aclnn/acl_meta.h", "aclnn/aclnn_base.h", "aclnnop/aclnn_util.h"]
CONSTRUCTOR = re.compile(r"\b(\w+)\([^()]*\)\s*(?::[^{};]*)?\{\s*\}")
FIELD = re.compile(r"(\w+)\s*(?:\[[^\]]*\])*\s*(?:,|$)")


def names_in(header):
    """(The fields as "type.field" and the enumerators of a header; its aggregates that were not understood.)"""
    text = CONSTRUCTOR.sub("", COMMENT.sub("", header.read_text(encoding="utf-8")))
    text = text.replace('extern "C" {', "").replace("__extension__ ", "")
    names, nested = set(), {}
    while match := AGGREGATE.search(text):    # innermost first
        kind, tag, body, declared = match.groups()
        fields = set()
        for part in body.split("," if kind == "enum" else ";"):
            part = part.strip()
            if part in nested:    # an unnamed union: its fields belong to the struct
                fields |= nested.pop(part)
            elif kind == "enum" and part:
                names.add(part.split("=")[0].strip())
            elif part:
                fields |= set(FIELD.findall(part))
        mark = f"nested{match.start()}" if not tag and not declared else ""
        if not mark and text.count("{", 0, match.start()) != text.count("}", 0, match.start()):
            return names, [f"{kind} {declared}"]    # a member with a type of its own: the client cannot name its fields
        if mark:
            nested[mark] = fields
        elif kind != "enum":
            names |= {f"{declared or tag}.{field}" for field in fields}
        text = text[: match.start()] + (mark + ";" if mark else "") + text[match.end():]
    left = re.findall(r"\b(?:struct|union|enum)\b[^;(){]*\{", text)
    return names, left + list(nested)


def check_names(root, written):
    problems, declared = [], set()
    for header in public_headers(root, written):
        if re.search("^namespace ", header.read_text(encoding="utf-8"), re.MULTILINE):    # classes: members_client.cc uses them
            continue
        names, left = names_in(header)
        declared |= names
        problems += [f"{header}: '{text.strip()}' is not understood" for text in left]
    client = root / "tests" / "contract" / "headers"
    layouts, enumerators = (COMMENT.sub("", (client / name).read_text(encoding="utf-8")) for name in ("layouts.inc", "enumerators.inc"))
    named = set(re.findall(r"PIN\((\w+),", enumerators)) | {".".join(pair) for pair in re.findall(r"FIELD\((\w+), (\w+),", layouts)}
    problems += [f"{client}: lacks {name}" for name in sorted(declared - named)]
    return problems + [f"{client}: {name} is declared nowhere" for name in sorted(named - declared)]


def operator_headers(written):
    return sorted((written / "aclnnop").glob("aclnn_*.h"))


def public_headers(root, written):
    yield from sorted((root / "include").rglob("*.h"))
    yield from operator_headers(written)


def check_includes(written):
    for header in operator_headers(written):
        found = INCLUDE.findall(header.read_text(encoding="utf-8"))
        if found != OPERATOR_INCLUDES:
            yield f"{header}: includes {', '.join(found)} instead of {', '.join(OPERATOR_INCLUDES)}"


def check(root, written):
    problems = []
    declared = {}
    absent = {name for path in (root / "src").rglob("absent_features.cc") for name in ABSENT.findall(path.read_text(encoding="utf-8"))}
    for header in public_headers(root, written):
        text = header.read_text(encoding="utf-8")
        for match in DECLARATION.finditer(text):
            name = match.group(1)
            if name in declared:
                problems.append(f"{header}: {name} is declared in {declared[name]}, too")
            declared[name] = header
            block = text[: match.start()].rsplit("\n\n", 1)[-1].strip("\n")
            if not (block if name in absent else block.rsplit("\n", 1)[-1]).startswith("///"):
                problems.append(f"{header}: {name} has no comment")

    listed = {}
    for path in sorted((root / "tests" / "contract" / "exports").glob("*.txt")):
        if path.stem in ("libportacl_python", "libascend_hal"):
            continue  # for the Python package and for PyTorch's plug-in: no public header declares them
        names = [name for name in path.read_text(encoding="utf-8").split() if not name.startswith("_Z")]    # members of classes
        if names != sorted(names):
            problems.append(f"{path}: not sorted")
        for name in names:
            if name in listed:
                problems.append(f"{path}: {name} is listed in {listed[name]}, too")
            listed[name] = path

    for name in sorted(declared.keys() - listed.keys()):
        problems.append(f"{declared[name]}: {name} is in no list of exports")
    for name in sorted(listed.keys() - declared.keys()):
        problems.append(f"{listed[name]}: {name} is declared nowhere")
    return problems


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    found = [*check(ROOT, folder), *check_names(ROOT, folder), *check_includes(folder)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
