#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that violates the order of the layers.

    check_layers.py [repository]     checks it (default: the one this file is in)
    check_layers.py --self-test      creates each violation in a small tree, and checks that exactly these are found

    ops -> loops -> exec -> tensor, runtime, simd -> base      an arrow means "may include"; the reverse is an error
    demo, binding -> tool -> calls -> exec                     rooms provide oracles to calls, tests generate calls
    hccl -> runtime, simd -> base
    tool -> trace -> base
    check -> base

and, inside src/runtime and src/loops,

    acl -> process -> contexts -> events -> streams -> memory, parallel -> devices
    batches, windows, convolutions, quantized -> products -> reductions -> moves -> tiles -> elements
"""
import pathlib
import re
import sys
import tempfile

# The layers that each layer may include besides itself. Rooms do not use the runtime: only the executor handles
# streams.
MAY_INCLUDE = {
    "base": set(),
    "simd": {"base"},
    "trace": {"base"},
    "check": {"base"},
    "runtime": {"base"},
    "hccl": {"runtime", "simd", "base"},
    "tensor": {"base"},
    "exec": {"tensor", "runtime", "simd", "base"},
    "loops": {"exec", "tensor", "runtime", "simd", "base"},
    "families": {"loops", "exec", "tensor", "simd", "base"},
    "ops": {"families", "loops", "exec", "tensor", "simd", "base"},
    "calls": {"exec", "tensor", "base"},
    "tool": {"trace", "calls", "ops", "loops", "exec", "tensor", "runtime", "simd", "base"},
    "binding": {"tool", "calls", "ops", "exec", "tensor", "base"},
    "demo": {"tool", "calls", "ops", "base"},
    "testing": {"calls", "exec", "tensor", "runtime", "simd", "base"},
}
# The folders of a layer: each may include the folders before it and the files in the layer's own folder, which include
# none of them. As long as these are ordered lists, there is no cycle.
FOLDERS = {
    "runtime": ["devices", "parallel", "memory", "streams", "events", "contexts", "process", "acl"],
    "loops": ["elements", "tiles", "moves", "reductions", "products", "quantized", "convolutions", "windows", "batches"],
}
APART = {("memory", "parallel"), ("convolutions", "quantized"), ("windows", "quantized"), ("windows", "convolutions"),
         ("batches", "quantized"), ("batches", "convolutions"), ("batches", "windows")}
# Headers of include/ whose folder has the same name as a layer.
PUBLIC = {"hccl/hccl.h", "hccl/hccl_comm.h", "hccl/hccl_types.h"}
# Tests, fuzzers, and the headers that several tests of one folder share.
TEST_FILE = re.compile(r"(_(test|fuzz|fixture)|test_support)\.(cc|h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def room(parts):
    """(family, room) of a file in src/ops/<family>/<room>/, else None."""
    return parts[1:3] if len(parts) == 4 else None


def folder_number(parts):
    """The index of a file's folder in its layer; -1 for the layer's own folder; None for an unknown one."""
    folders = FOLDERS[parts[0]]
    if len(parts) == 2:
        return -1
    return folders.index(parts[1]) if len(parts) == 3 and parts[1] in folders else None


def offence_in_folders(parts, to):
    source, target = folder_number(parts), folder_number(to)
    if source is None or target is None:
        return f"no folder of {parts[0]} that FOLDERS lists"
    if target > source or (parts[1], to[1]) in APART:
        return f"{'/'.join(parts[:-1])} must not include {'/'.join(to[:-1])}"
    return None


def offences_of_line(parts, target):
    """The mistake in an include of `target` in the file src/<parts>."""
    layer, name = parts[0], parts[-1]
    if parts[:2] == ("exec", "words") and name.endswith("_calls.cc"):    # next to the checks of the same words
        layer = "calls"
    is_test = TEST_FILE.search(name) is not None
    if target.startswith("."):
        yield "relative include; write the path from src/"
    if target == "hwy/foreach_target.h" and not re.search(r"_lanes[^/]*\.cc$", name):
        yield "foreach_target outside *_lanes.cc"
    if TEST_FILE.search(target) and not is_test and layer != "testing":
        yield "test code in the library"
    to = tuple(target.split("/"))
    if len(to) < 2 or to[0] not in MAY_INCLUDE or target in PUBLIC:
        return
    if to[0] == layer:
        if layer == "ops" and room(to) is not None and room(to) != room(parts):
            yield "a room includes another room"
        if layer in FOLDERS and not is_test and (offence := offence_in_folders(parts, to)):
            yield offence
    elif to[0] == "calls" and (is_test or name.endswith("_oracle.h")):    # tests, and oracles of rooms
        return
    elif to[0] not in MAY_INCLUDE[layer] and not (to[0] == "testing" and is_test):
        yield f"layer {layer} must not include layer {to[0]}"


def check(root):
    offences = []
    files = 0
    for path in sorted((root / "src").rglob("*")) + sorted((root / "include").rglob("*")):
        if path.suffix not in {".h", ".cc", ".c", ".cu"}:
            continue
        files += 1
        parts = path.relative_to(root).parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match.group(2)
            if parts[0] == "include":
                found = ["the public headers include nothing from src/"] if (root / "src" / target).exists() else []
            elif parts[1] in MAY_INCLUDE:
                found = offences_of_line(parts[1:], target)
            else:
                found = [f"src/{parts[1]} is no layer of the house plan"]
            offences += [f"{path.relative_to(root)}:{number}: {match.group(0).strip()}: {text}" for text in found]
    return files, offences


ALLOWED = {
    "src/base/status.h": "fmt/format.h",
    "src/exec/plan.h": "runtime/contexts/submit.h",
    "src/loops/tiles/loop_nest_test.cc": "testing/ulp.h",
    "src/runtime/test_support.h": "testing/two_phases.h",
    "src/runtime/streams/stream.cc": "runtime/memory/pool.h",
    "src/runtime/acl/aclrt_stream.cc": "runtime/contexts/context.h",
    "src/runtime/events/event.h": "runtime/handle_table.h",
    "src/runtime/memory/memory_test.cc": "runtime/contexts/submit.h",
    "src/exec/executor_fixture.h": "testing/device_array.h",
    "src/exec/executor_test.cc": "exec/executor_fixture.h",
    "src/exec/words/sizes_calls.cc": "calls/word_calls.h",
    "src/ops/loss/logit/logit_lanes.cc": "hwy/foreach_target.h",
    "src/ops/loss/logit/logit.cc": "ops/loss/logit/logit_spec.h",
    "src/ops/loss/logit/logit_test.cc": "calls/tensor_builder.h",
    "src/testing/test_device.cc": "runtime/devices/device.h",
    "src/tool/verify.cc": "calls/oracle.h",
    "src/tool/collectives.h": "hccl/hccl.h",
    "include/acl/acl.h": "acl/acl_rt.h",
}
FORBIDDEN = {
    "src/base/up.h": "tensor/view.h",
    "src/tensor/sideways.cc": "runtime/memory/memory.h",
    "src/simd/sideways.h": "tensor/view.h",
    "src/runtime/up.cc": "exec/plan.h",
    "src/tool/bench_hccl.cc": "hccl/transport.h",
    "src/runtime/streams/up.cc": "runtime/contexts/context.h",
    "src/runtime/memory/sideways.cc": "runtime/parallel/parallel.h",
    "src/runtime/root_up.h": "runtime/devices/device.h",
    "src/runtime/extra/folder.cc": "runtime/task.h",
    "src/exec/up.cc": "loops/tiles/tile.h",
    "src/exec/words/sizes.cc": "calls/word_calls.h",
    "src/exec/words/sizes_calls.cc": "runtime/task.h",
    "src/loops/up.cc": "ops/operators.h",
    "src/loops/uses_test_code.cc": "testing/ulp.h",
    "src/testing/up.cc": "tool/npy.h",
    "src/calls/up.cc": "ops/operators.h",
    "src/tool/uses_test_code.cc": "testing/ulp.h",
    "src/ops/loss/logit/logit_lanes.cc": "calls/element.h",
    "src/loops/leans_on_tests.cc": "exec/executor_fixture.h",
    "src/runtime/leans_on_tests.cc": "runtime/test_support.h",
    "src/loops/tiles/up.cc": "loops/moves/copy.h",
    "src/loops/windows/sideways.cc": "loops/convolutions/convolution.h",
    "src/loops/extra/folder.cc": "loops/tiles/tile.h",
    "src/loops/targets.cc": "hwy/foreach_target.h",
    "src/ops/loss/logit/logit.cc": "runtime/task.h",
    "src/ops/loss/logit/logit_test.cc": "runtime/devices/device.h",
    "src/ops/loss/logit/other_room.cc": "ops/activation/gelu/gelu_spec.h",
    "src/base/relative.cc": "../runtime/task.h",
    "src/extra/layer.cc": "base/status.h",
    "include/acl/reaches_in.h": "base/planted.h",
}


def self_test():
    wrong = []
    for includes, expected in ((ALLOWED, 0), (FORBIDDEN, 1)):
        for name, target in includes.items():
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "src/base").mkdir(parents=True)
                (root / "src/base/planted.h").write_text("#pragma once\n")
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(f'// A comment.\n#include "{target}"\n')
                offences = check(root)[1]
                if len(offences) != expected:
                    wrong.append(f"{name} includes {target}: expected {expected} offences, found {offences}")
    for text in wrong:
        print(text)
    print(f"self-test: {len(ALLOWED) + len(FORBIDDEN)} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    files, offences = check(root)
    for text in offences:
        print(text)
    print(f"{files} files, {len(offences)} offences")
    return 1 if offences or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
