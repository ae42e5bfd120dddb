#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes libraries to link against instead of the C library's: the same symbols, in versions that an older release has.

    glibc_stubs.py FOLDER --glibc 2.28 --cc gcc

A program takes the newest version of a symbol that its linker sees, and then does not start where that version is missing. FOLDER gets libraries
without code: each symbol of this machine's libc and libm once, in its newest version that is not above --glibc. What has none is missing, so that the
linker reports it; glibc.c defines what the project needs of it.

Threads and dlopen() were libraries of their own before 2.34, and before 2.30 a program does not start either whose symbol is in another library than
the one that it was linked to.
"""

import argparse
import pathlib
import re
import subprocess

OLD = re.compile(r"__[fl]?xstat(at)?$")    # what glibc.c calls; programs get nothing else that has only old versions
# What libc took over has a version from 2.32 to 2.34 besides the older one. So has the start of a program, which was always there.
START = "__libc_start_main"
MOVED = {
    "libpthread.so.0": re.compile(r"_?_?pthread_|sem_|(call_once|(cnd|mtx|thrd|tss)_\w+)$"),
    "libdl.so.2": re.compile(r"dl(addr1?|close|error|info|m?open|v?sym)$"),
    "librt.so.1": re.compile(r"(aio|lio|mq|shm|timer)_"),
}
SYMBOL = re.compile(r"\s*\d+: \w+\s+(?P<size>\w+) (?P<kind>FUNC|IFUNC|OBJECT|NOTYPE)\s+(?:GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+(?!UND)\w+ "
                    r"(?P<name>[\w.]+)@(?P<default>@?)GLIBC_(?P<version>[\d.]+)$")


def number(version):
    return [int(part) for part in version.split(".")]


def symbols(library, newest):
    """Name -> (version, kind, size), for the symbols that have a version up to `newest`; and the names that libc took over."""
    found, current, moved = {}, set(), set()
    for line in subprocess.run(["readelf", "--wide", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout.splitlines():
        if match := SYMBOL.match(line):
            version = match["version"]
            known = found.get(match["name"])
            if number(version) <= number(newest) and (known is None or number(version) > number(known[0])):
                found[match["name"]] = (version, match["kind"], int(match["size"], 0))
            if match["default"]:
                current.add(match["name"])
            if [2, 32] <= number(version) <= [2, 34]:
                moved.add(match["name"])
    found = {name: symbol for name, symbol in found.items() if name in current or OLD.match(name)}
    return found, moved & found.keys() - {START}


def write_stub(folder, soname, found, compiler):
    assembly, nodes = [], {}
    for symbol, (version, kind, size) in sorted(found.items()):
        if kind == "OBJECT":
            assembly += [".data", f".type {symbol}, %object", f".size {symbol}, {size}", ".balign 32", f"{symbol}: .zero {max(size, 1)}"]
        else:
            assembly += [".text", f".type {symbol}, %function", f"{symbol}: .byte 0"]
        assembly.append(f".globl {symbol}")
        nodes.setdefault(version, []).append(symbol)
    script = ""
    for version in sorted(nodes, key=number):
        script += f"GLIBC_{version} {{\n  {' '.join(f'{symbol};' for symbol in nodes[version])}\n}};\n"
    source, versions = folder / f"{soname}.s", folder / f"{soname}.map"
    source.write_text("\n".join(assembly) + "\n.section .note.GNU-stack,\"\",%progbits\n")
    versions.write_text(script)
    subprocess.run([compiler, "-shared", "-nostdlib", "-o", str(folder / soname), str(source), f"-Wl,-soname,{soname}",
                    f"-Wl,--version-script={versions}", "-Wl,--build-id=none"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("--cc", default="gcc")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)

    def ask(option):
        return subprocess.run([options.cc, option], check=True, capture_output=True, text=True).stdout.strip()

    def installed(name):
        return ask(f"-print-file-name={name}")

    found, moved = symbols(installed("libc.so.6"), options.glibc)
    libraries = {"libm.so.6": symbols(installed("libm.so.6"), options.glibc)[0]}
    for soname, names in MOVED.items():
        libraries[soname] = {name: found[name] for name in moved if names.match(name)}
    libraries["libc.so.6"] = {name: symbol for name, symbol in found.items() if name not in moved}
    for soname, contents in libraries.items():
        write_stub(options.folder, soname, contents, options.cc)
    machine = ask("-dumpmachine").partition("-")[0]
    loader = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}[machine]
    folder = options.folder.resolve()
    group = " ".join(str(folder / soname) for soname in ("libc.so.6", *MOVED))
    (folder / "libc.so").write_text(f"GROUP({group} {installed('libc_nonshared.a')} AS_NEEDED({installed(loader)}))\n")
    (folder / "libm.so").write_text(f"GROUP({folder / 'libm.so.6'})\n")


if __name__ == "__main__":
    main()
