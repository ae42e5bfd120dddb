# SPDX-License-Identifier: Apache-2.0
"""Draws test lines with the digits that were read in them, and the losses of each device at each step."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

LINES = 10
SMOOTHED = 20  # steps


def draw(path, batch, readings, curves):
    figure = plt.figure(figsize=(11, 7.5), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1.2, 1))
    for line, axes in enumerate(above.subplots(LINES // 2, 2).flat):
        written = batch.labels[line, : batch.label_counts[line]].tolist()
        is_right = readings[line] == written
        axes.imshow(batch.images[line, 0], cmap="gray_r", interpolation="nearest")
        axes.set_axis_off()
        text = "".join(map(str, readings[line])) + ("" if is_right else " for " + "".join(map(str, written)))
        axes.text(66, 4, text, family="monospace", size=12, va="center", color="black" if is_right else "firebrick")
    above.suptitle("Lines of digits that the training never saw, and how they are read")
    axes = below.subplots()
    for style, (device, curve) in zip(({"linewidth": 4, "alpha": 0.35}, {"linewidth": 1.2}), curves.items()):
        kernel = np.ones(min(SMOOTHED, len(curve)))
        smooth = np.convolve(curve, kernel / kernel.size, mode="valid")
        axes.semilogy(np.arange(smooth.size) + kernel.size, smooth, label=device, **style)
    axes.set(xlabel="step", ylabel=f"loss, mean of {SMOOTHED} steps")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=80)
