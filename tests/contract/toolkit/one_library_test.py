#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links a program of one library's operators as CANN's users do, for each library, and moves the binaries to other libraries of the same names
and back.

    one_library_test.py <toolkit> <scratch folder> <C++ compiler>

The operators' own library and the runtime are all that their program names; the umbrella in place of the library does, too. The foreign libraries
define the same names and return 7. A call without arguments is enough: what answers with 161001 and names the operator is no stub.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

RUNTIME = ["-lascendcl", "-lnnopbase"]
PROGRAM = """#include <cstdio>
#include "acl/acl.h"
{includes}
static void Print(int first, int second) {{
  const char* message = aclGetRecentErrMsg();
  std::printf("%d %d %s\\n", first, second, message == nullptr ? "" : message);
}}
int main() {{
{calls}}}
"""
CALL = """  {{
    const int first = {api}GetWorkspaceSize({arguments});
    Print(first, {api}(nullptr, 0, nullptr, nullptr));
  }}
"""


def run(*command, **environment):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env={**os.environ, **environment})
    return result.returncode, result.stdout + result.stderr


class Test:
    def __init__(self, root, scratch, compiler):
        self.root, self.scratch, self.compiler = root, scratch, compiler
        self.lib64 = root / "lib64"
        self.operators = json.loads(run(root / "bin/portacl", "ops", "--json")[1])
        self.headers = {name: path.name for path in (root / "include/aclnnop").glob("aclnn_*.h")
                        for name in re.findall(r"(aclnn\w+)\(void\*", path.read_text(encoding="utf-8"))}
        self.problems = []
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)

    def expect(self, what, command, pattern, **environment):
        code, text = run(*command, **environment)
        if code != 0 or not re.match(pattern, text):
            self.problems.append(f"{what}: exit code {code}: {text.strip()}")
        return code == 0

    def foreign(self, library):
        """Another library with the same name and functions, in a separate folder."""
        folder = self.scratch / "foreign" / library
        folder.mkdir(parents=True)
        apis = [op["operator"] for op in self.operators if library in (op["library"], "opapi")]
        source = folder / "foreign.c"
        source.write_text("".join(f"int {api}(void) {{ return 7; }}\nint {api}GetWorkspaceSize(void) {{ return 7; }}\n" for api in apis),
                          encoding="utf-8")
        file = folder / f"lib{library}.so"
        self.expect(f"foreign {library}", [self.compiler, "-x", "c", "-shared", "-fPIC", f"-Wl,-soname,{file.name}", source, "-o", file], "")
        return folder

    def source(self, operators):
        calls = [CALL.format(api=op["operator"], arguments=", ".join(["{}"] * (len(op["arguments"]) + 2))) for op in operators]
        headers = sorted({self.headers[op["operator"]] for op in operators})
        return PROGRAM.format(includes="\n".join(f'#include "aclnnop/{header}"' for header in headers), calls="".join(calls))

    def check(self, own, foreign):
        operators = [op for op in self.operators if op["library"] == own]
        source, code = self.scratch / f"{own}.cc", self.scratch / f"{own}.o"
        source.write_text(self.source(operators), encoding="utf-8")
        self.expect(own, [self.compiler, "-std=c++11", "-Wall", "-Werror", "-Wno-nonnull", f"-I{self.root}/include", f"-I{self.root}/include/aclnnop",
                          "-c", source, "-o", code], "")
        # A message has a line for each phase.
        ours = "".join(rf"161001 161001 .*\b{op['operator']}\b.*\n(?:\[.*\n)*" for op in operators) + "$"
        theirs = "7 7 .*\n" * len(operators) + "$"
        for library in (own, "opapi"):
            native, moved = self.scratch / f"{own}_{library}", self.scratch / f"{own}_{library}_foreign"
            link = [self.compiler, code, f"-L{self.lib64}", f"-l{library}", *RUNTIME, f"-Wl,-rpath-link,{self.lib64}"]
            if self.expect(f"{own} with lib{library}", [*link, "-o", native], ""):
                self.expect(f"{own} with lib{library}", [native], ours, LD_LIBRARY_PATH=str(self.lib64))
                self.expect(f"{own}, linked with ours, on a foreign lib{library}", [native], theirs,
                            LD_LIBRARY_PATH=f"{foreign[library]}:{self.lib64}")
            if self.expect(f"{own} with a foreign lib{library}", [*link[:2], f"-L{foreign[library]}", *link[2:], "-o", moved], ""):
                self.expect(f"{own}, linked with a foreign lib{library}, on ours", [moved], ours, LD_LIBRARY_PATH=str(self.lib64))

    def main(self):
        foreign = {library: self.foreign(library) for library in sorted({op["library"] for op in self.operators} | {"opapi"})}
        for library in sorted({op["library"] for op in self.operators}):
            self.check(library, foreign)
        print(*self.problems, f"{len(self.operators)} operators, {len(self.problems)} problems", sep="\n")
        return 1 if self.problems or not self.operators else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(Test(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]).main())
