#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the shared libraries export and need with what they should.

    check_exports.py <lib64 folder> <folder with lib*.txt> <cpp_exports.txt>

lib<name>.txt lists what clients bind in one library: C names, and the mangled names of members of C++ classes; libopapi.so has those of all libraries
of operators. cpp_exports.txt lists, for all of them, the C++ names that one library exports to the next. A name more can collide with another library of the process, a name less breaks a client: both fail.
"""
import pathlib
import re
import subprocess
import sys

# The libraries that each library must list as NEEDED: clients look up one library's symbols through another's handle.
NEEDED = {
    "libascendcl.so": [],
    "libacl_rt.so": ["libascendcl.so"],
    "libnnopbase.so": ["libgraph.so", "libascendcl.so"],
    "libopapi_math.so": ["libnnopbase.so"],
    "libopapi_nn.so": ["libopapi_math.so", "libnnopbase.so"],
    "libopapi_cv.so": ["libopapi_math.so", "libnnopbase.so"],
    "libopapi_transformer.so": ["libopapi_math.so", "libnnopbase.so"],
    "libopapi.so": ["libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so", "libopapi_transformer.so", "libnnopbase.so"],
    "libaclnn_math.so": ["libopapi.so"],
    "libaclnn_ops_infer.so": ["libopapi.so"],
    "libaclnn_ops_train.so": ["libopapi.so"],
    "libaclnn_sparse.so": ["libopapi.so"],
    "libaclnn_fft.so": ["libopapi.so"],
    "libaclnn_rand.so": ["libopapi.so"],
    "libacl_op_compiler.so": ["libascendcl.so"],
    "libruntime.so": ["libascendcl.so"],
    "libop_common.so": ["libnnopbase.so"],
    "libfmk_onnx_parser.so": ["libgraph.so"],
    "libhccl.so": ["libascendcl.so"],
    "libhcomm.so": ["libhccl.so"],
    "libmspti.so": [],
    "libmsprofiler.so": ["libascendcl.so"],
    "libascend_hal.so": [],
    "libge_runner.so": [],
    "libgraph.so": [],
    "libacl_tdt_channel.so": [],
    "libportacl_python.so": ["libopapi.so", "libnnopbase.so", "libascendcl.so"],
}
# The filter libraries, and the library that implements the symbols of each.
OPERATORS = ["libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so", "libopapi_transformer.so"]
FILTERS = {"libacl_rt.so": "libascendcl.so", "libruntime.so": "libascendcl.so", "libhcomm.so": "libhccl.so", **dict.fromkeys(OPERATORS, "libopapi.so")}
# The libraries that export the symbols of others.
UNIONS = {"libacl_rt.so": ["libascendcl.so"], "libruntime.so": ["libascendcl.so"], "libhcomm.so": ["libhccl.so"], "libopapi.so": OPERATORS}
# The beginning of the names that a library exports of those.
BEGINNINGS = {"libruntime.so": "rt"}
# Other libraries that a user's machine must have; an additional dependency is an error.
ALLOWED = re.compile(r"lib(stdc\+\+|m|gcc_s|c|dl|pthread|atomic)\.so\.\d+|ld-linux.*")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """The names that `library` exports: (those that clients bind, C++ names for other libraries without their parameters)."""
    plain, demangled = ([line.split(maxsplit=2)[2] for line in run("nm", option, "--defined-only", str(library)).splitlines()] for option in ("-D", "-DC"))
    ours = re.compile(r"_Z\w*7portacl")
    return {n for n in plain if not ours.match(n)}, {n.split("(")[0] for p, n in zip(plain, demangled, strict=True) if ours.match(p)}


def listed(path):
    if not path.exists():
        return set()
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


def compare(what, want, got):
    problems = [f"{what}: exports {name}, which no list names" for name in sorted(got - want)]
    return problems + [f"{what}: does not export {name}" for name in sorted(want - got)]


def check_dynamic_section(name, library):
    text = run("readelf", "-dW", str(library))
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    problems = [f"{name}: does not need {other}" for other in NEEDED[name] if other not in needed]
    problems += [f"{name}: needs {other}" for other in needed if other not in NEEDED and not ALLOWED.fullmatch(other)]
    for tag, value in (("SONAME", name), ("RUNPATH", "$ORIGIN"), ("FILTER", FILTERS.get(name))):
        found = re.findall(rf"\({tag}\).*\[(.*)\]", text)
        if found != ([value] if value else []):
            problems.append(f"{name}: {tag} is {found}, not {value}")
    return problems


def main(lib64, lists, cpp_exports):
    problems = [f"lib64 holds {p.name}, which nothing describes" for p in lib64.glob("lib*") if p.name not in NEEDED]
    found = set()
    for name in NEEDED:
        library = lib64 / name
        if not library.is_file() or library.is_symlink():
            problems.append(f"{name}: missing, or not a regular file")
            continue
        c_names, cpp_names = exported(library)
        names = [listed(lists / other.replace(".so", ".txt")) for other in UNIONS.get(name, [name])]
        problems += compare(name, {n for n in set().union(*names) if n.startswith(BEGINNINGS.get(name, ""))}, c_names)
        found |= cpp_names
        problems += check_dynamic_section(name, library)
    problems += compare("the libraries", listed(cpp_exports), found)
    for problem in problems:
        print(problem)
    print(f"{len(NEEDED)} libraries, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
