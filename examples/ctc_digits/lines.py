# SPDX-License-Identifier: Apache-2.0
"""Lines of handwritten digits: the input of the network, and the labels that it should find.

The digits come from data/digits, which is sorted by writer: lines for training consist of the first 1,400 images, lines for testing of
the last 397. So no digit of a test line was used for training, and few writers are in both parts.
"""

import dataclasses
import pathlib

import numpy as np

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "digits"
TRAINING_IMAGES = 1400
HEIGHT = 8
WIDTH = 64  # columns of a line: six digits with their gaps, and a margin
COLUMNS_PER_STEP = 2
STEPS = WIDTH // COLUMNS_PER_STEP
MOST_DIGITS = 6
BLANK = 10
CLASSES = 11


@dataclasses.dataclass
class Batch:
    """Lines; all arrays have one row for each line."""

    images: np.ndarray  # [N, 1, HEIGHT, WIDTH], ink from 0 to 1
    labels: np.ndarray  # [N, MOST_DIGITS] int64; 0 after a line's last digit
    label_counts: np.ndarray  # [N] int64
    step_counts: np.ndarray  # [N] int64: the number of steps of a line
    offsets: np.ndarray  # [N, STEPS]: the distance to the right of the nearest digit's centre, in widths of a digit
    ink: np.ndarray  # [N, STEPS]: the inked share of a step's pixels

    @property
    def is_empty(self):
        """[N, STEPS] bool: steps after the end of a line."""
        return np.arange(STEPS) >= self.step_counts[:, None]


class Lines:
    """Draws lines from one part of the images. The same seed gives the same lines."""

    def __init__(self, part, seed):
        images = np.load(DATA / "digits.npy").astype(np.float32) / 16
        labels = np.load(DATA / "labels.npy").astype(np.int64)
        chosen = slice(TRAINING_IMAGES) if part == "training" else slice(TRAINING_IMAGES, None)
        self._images, self._labels = images[chosen], labels[chosen]
        self._random = np.random.default_rng(seed)

    def batch(self, count, is_varied=False):
        """`count` lines of three to six digits. `is_varied`, for training: moves digits up or down by a row, weakens the ink, and adds noise."""
        images = np.zeros((count, 1, HEIGHT, WIDTH), np.float32)
        labels = np.zeros((count, MOST_DIGITS), np.int64)
        label_counts = self._random.integers(3, MOST_DIGITS + 1, count)
        step_counts = np.zeros(count, np.int64)
        offsets = np.zeros((count, STEPS), np.float32)
        step_centres = (np.arange(STEPS) + 0.5) * COLUMNS_PER_STEP
        for line, digits in enumerate(label_counts):
            centres = []
            column = 0
            for place in range(digits):
                column += int(self._random.integers(0, 3))
                digit = int(self._random.integers(len(self._images)))
                image = self._images[digit]
                if is_varied:
                    image = shifted(image, int(self._random.integers(-1, 2)))
                images[line, 0, :, column : column + HEIGHT] = image
                labels[line, place] = self._labels[digit]
                centres.append(column + HEIGHT / 2)
                column += HEIGHT
            step_counts[line] = -(-column // COLUMNS_PER_STEP)
            distances = np.asarray(centres)[:, None] - step_centres
            nearest = np.abs(distances).argmin(axis=0)
            offsets[line] = distances[nearest, np.arange(STEPS)] / HEIGHT
        if is_varied:
            strength = self._random.uniform(0.7, 1, (count, 1, 1, 1)).astype(np.float32)
            grain = self._random.normal(0, 0.08, images.shape).astype(np.float32)
            images = np.clip(images * strength + grain * (images > 0), 0, 1)
        ink = images.reshape(count, HEIGHT, STEPS, COLUMNS_PER_STEP).mean(axis=(1, 3))
        return Batch(images, labels, label_counts, step_counts, offsets, ink)


def shifted(image, rows):
    """Shifts the image down by some rows, or up if negative; rows outside the image are dropped."""
    result = np.zeros_like(image)
    result[max(rows, 0) : HEIGHT + min(rows, 0)] = image[max(-rows, 0) : HEIGHT - max(rows, 0)]
    return result


def decode(scores):
    """The digits of a line with the scores [steps, CLASSES]: the best class of each step, without repeats and blanks."""
    best = scores.argmax(axis=1)
    return [int(c) for i, c in enumerate(best) if c != BLANK and (i == 0 or best[i - 1] != c)]


def edit_distance(read, written):
    """The number of digits that must be inserted, removed or replaced."""
    row = list(range(len(written) + 1))
    for i, a in enumerate(read, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(written, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def character_error_rate(readings, batch):
    """The number of edits divided by the number of digits, for all lines of a batch together."""
    written = [row[:n].tolist() for row, n in zip(batch.labels, batch.label_counts, strict=True)]
    return sum(map(edit_distance, readings, written)) / int(batch.label_counts.sum())
