#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the results of two builds bit by bit, NaN aside: operators of each engine, every dtype and instruction set, on inputs that stay the same.

    compare_results.py OLD NEW                    the folders of two toolkits, or of anything that has bin/portacl
    compare_results.py OLD NEW --run qemu-aarch64 --run -L --run /usr/aarch64-linux-gnu    for builds of another machine

A change of code that is to keep every bit shows it with this. Exit code 1 when a result differs.
"""
import argparse
import array
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-6, 1e-40, -1e-45, 65504.0, -65520.0, 1e30, 3e38, -3e38, 88.0, -88.0, 104.0, -104.0,
           float("inf"), float("-inf"), float("nan"))


def write_npy(path, code, shape, values):
    kinds = {"f": "<f4", "d": "<f8", "q": "<i8", "b": "|b1"}
    size = ",".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '{kinds[code]}', 'fortran_order': False, 'shape': ({size}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.array(code, values).tobytes())


class Inputs:
    def __init__(self, folder, tool):
        self.folder = folder
        self.tool = tool    # computes the forward results that a gradient takes as inputs
        self.count = 0

    def real(self, shape, low, high, special=0.0, code="f"):
        draw = random.Random(self.count)
        size = 1
        for length in shape:
            size *= length
        values = [draw.choice(SPECIAL) if draw.random() < special else draw.uniform(low, high) for _ in range(size)]
        return self.save(code, shape, values)

    def computed(self, operator, words, outputs):
        files = [self.folder / f"input{self.count + i}.npy" for i in range(len(outputs))]
        self.count += len(files)
        subprocess.run([*self.tool, "run", operator, *words, *[f"{name}={file}" for name, file in zip(outputs, files)]],
                       stdout=subprocess.DEVNULL, check=True)
        return files

    def save(self, code, shape, values):
        path = self.folder / f"input{self.count}.npy"
        self.count += 1
        write_npy(path, code, shape, values)
        return path


def calls(inputs):
    """(operator, arguments, outputs, dtypes of the inputs)"""
    for n in (1, 37, 4099):
        for special in (0, 0.2):
            for eps in (-1, 0.05):
                x = inputs.real((n,), -0.2, 1.2, special)
                yield "aclnnLogit", [f"input={x}", f"eps={eps}"], ["out"], FLOATS
                yield "aclnnLogitGrad", [f"x={x}", f"dy={inputs.real((n,), -3, 3, special)}", f"eps={eps}"], ["out"], FLOATS
    for rows, columns in ((3, 2), (7, 130), (5, 2048)):
        for special in (0, 0.1):
            x = inputs.real((rows, columns), -95, 20, special)
            half = inputs.real((rows, columns // 2), -3, 3, special)
            yield "aclnnSwiGlu", [f"x={x}", "dim=1"], ["out"], FLOATS
            yield "aclnnSwiGluGrad", [f"yGrad={half}", f"x={x}", "dim=-1"], ["out"], FLOATS
            for reduction in (0, 1, 2):
                for beta in (0, 1, 0.3):
                    a, b = inputs.real((rows, columns), -3, 3, special), inputs.real((rows, columns), -3, 3, special)
                    yield ("aclnnSmoothL1Loss", [f"self={a}", f"target={b}", f"reduction={reduction}", f"beta={beta}"],
                           ["result"], FLOATS)
                    gradient = inputs.real((rows, columns) if reduction == 0 else (), -2, 2, special)
                    yield ("aclnnSmoothL1LossBackward",
                           [f"gradOut={gradient}", f"self={a}", f"target={b}", f"reduction={reduction}", f"beta={beta}"],
                           ["gradInput"], FLOATS)
    for length in (1, 31, 64, 257, 1100):
        shape = (2, 3, 4, length)
        draw = random.Random(length)
        size = shape[0] * shape[1] * shape[2] * length
        mask = inputs.save("b", (2, 1, 4, length), [draw.random() < 0.3 for _ in range(size // 3)])
        for special in (0, 0.05):
            x = inputs.real(shape, -9, 9, special)
            yield "aclnnScaledMaskedSoftmax", [f"x={x}", f"mask={mask}", "scale=0.7", "fixedTriuMask=false"], ["y"], FLOATS
            y = inputs.real(shape, 0, 1, special)
            yield ("aclnnScaledMaskedSoftmaxBackward",
                   [f"gradOutput={x}", f"y={y}", f"mask={mask}", "scale=0.7", "fixTriuMask=false"], ["out"], FLOATS)
    for steps, batch, classes, labels in ((4, 2, 5, 2), (37, 3, 21, 9), (120, 2, 40, 33)):
        draw = random.Random(steps)
        scores = inputs.real((steps, batch, classes), -6, 0)
        targets = inputs.save("q", (batch, labels), [draw.randrange(1, classes) for _ in range(batch * labels)])
        lengths = [f"inputLengths={','.join([str(steps - i) for i in range(batch)])}",
                   f"targetLengths={','.join([str(labels - i) for i in range(batch)])}"]
        for flag in ("false", "true"):
            words = [f"logProbs={scores}", f"targets={targets}", *lengths, "blank=0", f"zeroInfinity={flag}"]
            outputs = ["negLogLikelihoodOut", "logAlphaOut"]
            yield "aclnnCtcLoss", words, outputs, FLOATS + ("DOUBLE",)
            loss, log_alpha = inputs.computed("aclnnCtcLoss", words, outputs)
            yield ("aclnnCtcLossBackward", [f"gradOut={inputs.real((batch,), -2, 2)}", *words, f"negLogLikelihood={loss}",
                                            f"logAlpha={log_alpha}"], ["out"], FLOATS + ("DOUBLE",))
    for m, k, n in ((1, 300, 64), (3, 4099, 70), (40, 1000, 33), (130, 257, 300)):
        x, y = inputs.real((m, k), -1, 1), inputs.real((k, n), -1, 1)
        yield "aclnnMatmul", [f"self={x}", f"mat2={y}", "cubeMathType=0"], ["out"], FLOATS
        words = [f"self={inputs.real((n,), -1, 1)}", f"mat1={x}", f"mat2={y}", "beta=0.5", "alpha=2", "cubeMathType=0"]
        yield "aclnnAddmm", words, ["out"], FLOATS
        words = [f"x={x}", f"weight={inputs.real((k, n), -128, 127)}", f"antiquantScale={inputs.real((n,), 0.1, 1)}",
                 "antiquantGroupSize=0", "--dtype", "weight=INT8"]
        yield "aclnnWeightQuantBatchMatmulV2", words, ["y"], FLOATS[1:]
    for image, weight, groups in (((2, 3, 20, 21), (8, 3, 3, 3), 1), ((2, 8, 14, 15), (8, 1, 3, 3), 8), ((1, 4, 70, 90), (2, 4, 5, 5), 1),
                                  ((1, 32, 40, 40), (33, 32, 1, 1), 1), ((1, 700, 5, 5), (20, 700, 3, 3), 1)):
        for stride in (1, 2):
            words = [f"input={inputs.real(image, -1, 1)}", f"weight={inputs.real(weight, -1, 1)}", f"stride={stride},{stride}",
                     "padding=1,1", "dilation=1,1", "transposed=false", f"groups={groups}", "cubeMathType=0"]
            yield "aclnnConvolution", words, ["output"], FLOATS
    for dims in ("0", "1", "2", "0,2"):
        words = [f"self={inputs.real((5, 130, 67), -1, 1, 0.01)}", f"dim={dims}", "keepDim=false"]
        yield "aclnnAmax", words, ["out"], FLOATS
        yield "aclnnMean", [*words, "dtype=FLOAT"], ["out"], FLOATS
    for n in (1, 1000):
        x = inputs.real((n,), -70000, 70000, 0.2, "d")
        yield "aclnnComplex", [f"real={x}", f"imag={x}"], ["out"], ("FLOAT", "DOUBLE")
        for dtype in ("FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE", "INT8", "INT32", "INT64", "UINT8", "BOOL", "COMPLEX64"):
            yield "aclnnCast", [f"self={x}", f"dtype={dtype}"], ["out"], FLOATS + ("DOUBLE",)


def same(old, new):
    """Whether the bits are equal; all NaN count as equal, as everywhere in this library."""
    if old == new:
        return True
    if len(old) != len(new) or not old.startswith(b"\x93NUMPY"):
        return False
    start = 10 + int.from_bytes(old[8:10], "little")
    kind = {b"<f2": "e", b"<f4": "f", b"<f8": "d", b"<c8": "f", b"c16": "d"}.get(old.partition(b"'descr': '")[2][:3])
    if kind is None or old[:start] != new[:start]:
        return False
    size = struct.calcsize(kind)
    for at in range(start, len(old), size):
        a, b = old[at:at + size], new[at:at + size]
        if a != b and not (struct.unpack(kind, a)[0] != struct.unpack(kind, a)[0] and struct.unpack(kind, b)[0] != struct.unpack(kind, b)[0]):
            return False
    return True


def result(run, toolkit, target, operator, arguments, outputs, dtype, folder):
    files = [folder / f"{name}.npy" for name in outputs]
    for file in files:
        file.unlink(missing_ok=True)
    command = [*run, str(toolkit / "bin/portacl"), "run", operator, *arguments, "--dtype", dtype, "--repeat", "1",
               *[f"{name}={file}" for name, file in zip(outputs, files)]]
    done = subprocess.run(command, env={**os.environ, "PORTACL_TARGET": target}, capture_output=True, text=True, check=False)
    return [file.read_bytes() if file.exists() else done.stderr.encode() for file in files], done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--run", action="append", default=[], help="word of a command that starts the programs")
    parser.add_argument("--target", action="append", help="instruction set; default: all that the machine has")
    arguments = parser.parse_args()
    targets = arguments.target
    if targets is None:
        info = subprocess.run([*arguments.run, str(arguments.new / "bin/portacl"), "info"], capture_output=True, text=True, check=True)
        line = next(line for line in info.stdout.splitlines() if line.startswith("instruction set"))
        targets = line.split("available:")[1].strip(" )").split(", ")
    compared = different = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        every = list(calls(Inputs(folder, [*arguments.run, str(arguments.old / "bin/portacl")])))
        for target in targets:
            for operator, words, outputs, dtypes in every:
                for dtype in dtypes:
                    old, old_code = result(arguments.run, arguments.old, target, operator, words, outputs, dtype, folder)
                    new, new_code = result(arguments.run, arguments.new, target, operator, words, outputs, dtype, folder)
                    compared += 1
                    failed += new_code != 0
                    if new_code != 0:
                        print(new[0].decode(errors="replace"))
                    if old_code != new_code or not all(map(same, old, new)):
                        different += 1
                        print(f"differs: {target} {operator} {dtype} {' '.join(words)}")
    print(f"{compared} calls on {', '.join(targets)}: {different} differ, {failed} failed")
    return 1 if different or failed else 0


if __name__ == "__main__":
    sys.exit(main())
