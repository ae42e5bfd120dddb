# SPDX-License-Identifier: Apache-2.0
"""Finds the toolkit: libraries, headers and the command `portacl`."""

import os
import pathlib

_PACKAGE = pathlib.Path(__file__).resolve().parent


def find():
    """The root of the toolkit, as a pathlib.Path.

    Looks in the installed package first, then in the folder that PORTACL_TOOLKIT names, then in `build/toolkit` of the
    source tree that contains this file. FileNotFoundError if there is none.
    """
    places = [_PACKAGE / "toolkit"]
    if os.environ.get("PORTACL_TOOLKIT"):
        places.append(pathlib.Path(os.environ["PORTACL_TOOLKIT"]))
    places.append(_PACKAGE.parent.parent / "build" / "toolkit")
    for place in places:
        if (place / "lib64" / "libascendcl.so").is_file():
            return place.resolve()
    raise FileNotFoundError("no toolkit in " + ", ".join(map(str, places)))


def version():
    """The version of the toolkit that find() finds, and so of this package."""
    for line in (find() / "share" / "info" / "runtime" / "version.info").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "portacl_version":
            return value
    raise ValueError(f"no portacl_version in {find()}/share/info/runtime/version.info")
