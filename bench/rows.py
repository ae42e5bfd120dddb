# SPDX-License-Identifier: Apache-2.0
"""Which rows the instrument measures: what of an operator, at which size, in which layout."""
import dataclasses
import math

KIB, MIB = 1 << 10, 1 << 20
SIZES = {"L2": 240 * KIB, "L3": 7680 * KIB, "DRAM": 400 * MIB}    # bytes of traffic of one call
SIDE = 4096                                                       # of the square that layouts are measured on
LOADED_ELEMENTS = MIB


@dataclasses.dataclass
class Row:
    kind: str        # size, shape, overhead, layout, growth, loaded
    operator: str
    dtype: str
    data: str
    elements: int
    label: str       # of the size or layout

    def title(self):
        return f"{self.kind} {self.operator} {self.dtype} {self.data} {self.label}"


def layouts(side):
    """Name -> (shape, strides of an input, strides of the first input, strides of the output)."""
    row_major = (side, 1)
    return {
        "contiguous": (row_major, row_major, row_major),
        "first input transposed": ((1, side), row_major, row_major),
        "all transposed": ((1, side), (1, side), (1, side)),
        "every second row": ((2 * side, 1),) * 3,
        "stride 3": ((3 * side, 3),) * 3,
    }


def strides_of(label, side, position, operands):
    """Strides in elements of operand number `position` of `operands` in the layout `label`."""
    first, inputs, output = layouts(side)[label]
    return output if position == operands - 1 else first if position == 0 else inputs


def rows_of(operator, kinds, plan):
    """Every row of an operator. `plan` holds sizes, scale, side, growth (exponents of 2) and loaded_elements."""
    uniform = operator.data[0].name
    rows = []
    if "size" in kinds:
        for dtype in operator.dtypes:
            for label, traffic in plan["sizes"].items():
                # Subnormals, where a kernel makes them, cost most where memory costs least.
                for data in operator.data if label == "L2" else operator.data[:1]:
                    elements = operator.elements_of_traffic(traffic, dtype)
                    rows.append(Row("size", operator.api, dtype, data.name, elements, label))
    if "shape" in kinds:
        for shape in operator.named_shapes:
            elements = math.prod(shape.shapes(plan["scale"])[-1])
            rows += [Row("shape", operator.api, dtype, uniform, elements, shape.label) for dtype in shape.dtypes]
    if "overhead" in kinds:
        rows += [Row("overhead", operator.api, "FLOAT", uniform, n, f"{n} element{'s' * (n > 1)}") for n in (1, 64)]
    if "layout" in kinds and operator.shapes is None:
        rows += [Row("layout", operator.api, "FLOAT", uniform, plan["side"] ** 2, label) for label in layouts(1)]
    if "growth" in kinds:
        rows += [Row("growth", operator.api, "FLOAT", uniform, 1 << power, f"2^{power}") for power in plan["growth"]]
    if "loaded" in kinds:
        n = plan["loaded_elements"]
        rows.append(Row("loaded", operator.api, "FLOAT", uniform, n, f"{n} elements"))
    return rows


FULL = {"sizes": SIZES, "scale": 1, "side": SIDE, "growth": range(10, 29, 2), "loaded_elements": LOADED_ELEMENTS,
        "loaded_calls": 4000, "rounds": 15, "sample_seconds": 0.005, "attempts": 3}
QUICK = {**FULL, "growth": range(10, 25, 2), "loaded_calls": 1000, "rounds": 5, "sample_seconds": 0.002, "attempts": 1}
TINY = {"sizes": {"L2": 24 * KIB, "L3": 48 * KIB}, "scale": 64, "side": 64, "growth": range(6, 11, 2), "loaded_elements": 4096,
        "loaded_calls": 20, "rounds": 3, "sample_seconds": 0.0002, "attempts": 1}
PLANS = {"full": FULL, "quick": QUICK, "tiny": TINY}
