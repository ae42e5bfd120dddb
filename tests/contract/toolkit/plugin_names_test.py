#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what PyTorch's plug-in torch_npu binds when it is loaded with what the toolkit has.

    plugin_names_test.py <lib64 folder>

The plug-in's core libraries bind all names at once, so one that is missing stops `import torch` itself. They are looked
for in the folder that PORTACL_TORCH_NPU names, else where Python finds the package; without them the test is skipped
(exit status 77).
"""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
CORE = ["lib/libtorch_npu.so", "lib/libtensorpipe.so", "lib/libnpu_profiler.so", "_C.*.so"]
OURS = re.compile(r"(acl|rt|Msprof|Hccl)[A-Z]\w*|acl(op|mdl|rt|nn|sys|prof|dump)\w+")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def plugin_folder():
    named = os.environ.get("PORTACL_TORCH_NPU")
    if named:
        return pathlib.Path(named)
    spec = importlib.util.find_spec("torch_npu")
    return pathlib.Path(spec.origin).parent if spec and spec.origin else None


def names(library, which):
    lines = run("nm", "-D", which, "--format=posix", str(library)).splitlines()
    return {line.split()[0].split("@")[0] for line in lines}


def main(lib64):
    folder = plugin_folder()
    libraries = [path for pattern in CORE for path in folder.glob(pattern)] if folder else []
    if not libraries:
        print(f"skipped: no torch_npu in {folder or 'the Python packages'}; PORTACL_TORCH_NPU can name its folder")
        return SKIPPED
    defined = names(lib64 / "libascendcl.so", "--defined-only")
    present = {path.name for path in lib64.glob("lib*.so")}
    bound, problems = set(), []
    for library in libraries:
        wanted = {name for name in names(library, "--undefined-only") if OURS.fullmatch(name)}
        problems += [f"{library.name} binds {name}, which libascendcl.so lacks" for name in sorted(wanted - defined)]
        bound |= wanted
        needed = set(re.findall(r"\(NEEDED\).*\[(lib(?:hccl|acl\w*|ascendcl|ge_runner|graph)\.so)\]",
                                run("readelf", "-dW", str(library))))
        problems += [f"{library.name} needs {name}, which the toolkit lacks" for name in sorted(needed - present)]
    print(*problems, f"{len(libraries)} libraries bind {len(bound)} names; {len(problems)} problems", sep="\n")
    return 1 if problems or not bound else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))
