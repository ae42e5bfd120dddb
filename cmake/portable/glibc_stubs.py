#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes libraries to link against instead of the C library's: the same symbols, in versions that an older release has.

    glibc_stubs.py FOLDER --glibc 2.28 --cc gcc

A program takes the newest version of a symbol that its linker sees, and then does not start where that version is missing. FOLDER gets libc.so and
libm.so without code: each symbol of this machine's libraries once, in its newest version that is not above --glibc. What has none is missing, so
that the linker reports it; glibc.c defines what the project needs of it.
"""

import argparse
import pathlib
import re
import subprocess

LIBRARIES = ("libc", "libm")
SYMBOL = re.compile(r"\s*\d+: \w+\s+(?P<size>\w+) (?P<kind>FUNC|IFUNC|OBJECT|NOTYPE)\s+(?:GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+(?!UND)\w+ "
                    r"(?P<name>[\w.]+)@@?GLIBC_(?P<version>[\d.]+)$")


def number(version):
    return [int(part) for part in version.split(".")]


def symbols(library, newest):
    """Name -> (version, kind, size), for the symbols that have a version up to `newest`."""
    found = {}
    for line in subprocess.run(["readelf", "--wide", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout.splitlines():
        if match := SYMBOL.match(line):
            version = match["version"]
            known = found.get(match["name"])
            if number(version) <= number(newest) and (known is None or number(version) > number(known[0])):
                found[match["name"]] = (version, match["kind"], int(match["size"], 0))
    return found


def write_stub(folder, name, soname, found, compiler):
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
    source, versions = folder / f"{name}.s", folder / f"{name}.map"
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

    for name in LIBRARIES:
        soname = f"{name}.so.6"
        write_stub(options.folder, name, soname, symbols(installed(soname), options.glibc), options.cc)
    # Threads and dlopen() were libraries of their own before 2.34. Today's have their names and no code.
    others = [installed(name) for name in ("libpthread.so.0", "libdl.so.2", "librt.so.1", "libc_nonshared.a")]
    machine = ask("-dumpmachine").partition("-")[0]
    loader = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}[machine]
    (options.folder / "libc.so").write_text(f"GROUP({options.folder.resolve() / 'libc.so.6'} {' '.join(others)} AS_NEEDED({installed(loader)}))\n")
    (options.folder / "libm.so").write_text(f"GROUP({options.folder.resolve() / 'libm.so.6'})\n")


if __name__ == "__main__":
    main()
