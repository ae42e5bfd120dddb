#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/simd/pieces_tables.h: polynomials for functions of [0, 15) in pieces. Needs mpmath and NumPy; takes a minute.

    tools/pieces.py > src/simd/pieces_tables.h

Piece i of an octave of x + 1 is [2^e (1 + i / 8), 2^e (1 + (i + 1) / 8)) - 1. Its polynomial is minimax in relative error (Remez's algorithm), expanded
around a point near the middle at which the function is almost exactly a float32, so that rounding the constant costs almost no accuracy.
"""
import mpmath
import numpy

DEGREE, PIECES = 5, 32
mpmath.mp.dps = 40


def float32(x):
    return mpmath.mpf(float(numpy.float32(float(x))))


def centre(function, low, high):
    """Among the 4,000 float32 values after the middle, the one at which the function is closest to a float32."""
    point, found = numpy.float32(float((low + high) / 2)), []
    for _ in range(4000):
        point = numpy.nextafter(point, numpy.float32(100))
        value = function(mpmath.mpf(float(point)))
        found.append((abs(float32(value) / value - 1), mpmath.mpf(float(point))))
    return min(found)[1]


def fitted(function, low, high):
    """The centre and the coefficients. The centre and the constant are 0 where the piece begins at 0 and the function is 0 there."""
    is_odd = low == 0 and function(low) == 0
    middle = mpmath.mpf(0) if is_odd else centre(function, low, high)
    powers = range(is_odd, DEGREE + 1)
    count = len(powers) + 1
    points = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    grid = [low + (high - low) * (k + (k == 0) / mpmath.mpf(1000)) / 200 for k in range(201)]
    for _ in range(6):
        system = mpmath.matrix(count, count)
        for row, x in enumerate(points):
            for column, power in enumerate(powers):
                system[row, column] = (x - middle)**power
            system[row, count - 1] = (-1)**row * function(x)
        solved = mpmath.lu_solve(system, mpmath.matrix([function(x) for x in points]))
        errors = [sum(solved[i] * (x - middle)**power for i, power in enumerate(powers)) / function(x) - 1 for x in grid]
        runs = [[0]]
        for k in range(1, len(grid)):
            if errors[k] * errors[k - 1] > 0:
                runs[-1].append(k)
            else:
                runs.append([k])
        if len(runs) != count:
            break
        points = [grid[max(run, key=lambda k: abs(errors[k]))] for run in runs]
    return middle, [mpmath.mpf(0)] * is_odd + list(solved[:len(powers)])


def table(name, text, function):
    rows = [None] * PIECES
    for octave in range(4):
        for eighth in range(8):
            low, high = (mpmath.mpf(2)**octave * (1 + mpmath.mpf(eighth + end) / 8) - 1 for end in (0, 1))
            middle, coefficients = fitted(function, low, high)
            rows[(octave + 127) % 4 * 8 + eighth] = [middle, *coefficients]
    print(f"\n/// {text}\nalignas(64) inline constexpr float {name}[{DEGREE + 2}][{PIECES}] = {{")
    for column in zip(*rows):
        numbers = [float(float32(x)).hex().replace("0000000p", "p") + "F" for x in column]
        for first in range(0, PIECES, 4):
            begin, end = "    {" if first == 0 else "     ", "}," if first + 4 == PIECES else ","
            print(begin + ", ".join(numbers[first:first + 4]) + end)
    print("};")


print("""// SPDX-License-Identifier: Apache-2.0
//
// Functions of [0, 15) in pieces: rows of centres and of coefficients of the powers of the distance from them. Written
// by tools/pieces.py.
#pragma once

namespace portacl::simd {

// clang-format off""")
table("kTanhPieces", "tanh x, relative error 2^-28.", mpmath.tanh)
table("kNormalTailPieces", "Phi(-x) e^(x^2/2), Phi being the distribution function of the standard normal distribution: 2^-29.",
      lambda x: mpmath.erfc(x / mpmath.sqrt(2)) / 2 * mpmath.exp(x * x / 2))
print("""// clang-format on

}  // namespace portacl::simd""")
