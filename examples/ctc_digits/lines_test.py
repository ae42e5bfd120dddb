#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what the training relies on: correct lines, and the computation of the error rate. Needs only NumPy."""

import unittest

import numpy as np

from lines import BLANK, COLUMNS_PER_STEP, HEIGHT, STEPS, Lines, character_error_rate, decode, edit_distance, shifted


class LinesTest(unittest.TestCase):
    def test_no_image_is_in_both_parts(self):
        training, test = ({image.tobytes() for image in Lines(part, 0)._images} for part in ("training", "test"))
        self.assertEqual(len(training & test), 0)
        self.assertEqual(len(training) + len(test), 1797)

    def test_a_seed_draws_the_same_lines_again(self):
        a, b, c = (Lines("training", seed).batch(4, is_varied=True) for seed in (3, 3, 4))
        np.testing.assert_array_equal(a.images, b.images)
        self.assertFalse(np.array_equal(a.images, c.images))

    def test_a_line_holds_what_its_labels_say(self):
        lines = Lines("test", 0)
        batch = lines.batch(50)
        for line, count in enumerate(batch.label_counts):
            end = COLUMNS_PER_STEP * int(batch.step_counts[line])
            self.assertEqual(batch.images[line, 0, :, end:].sum(), 0)
            # Within a digit, the offset decreases by a step's width per step and is near 0 in the centre; it jumps up
            # at the next digit.
            falls = batch.offsets[line, : batch.step_counts[line]]
            jumps = np.flatnonzero(np.diff(falls) > 0)
            self.assertEqual(len(jumps), count - 1)
            self.assertLessEqual(np.abs(falls).max(), (HEIGHT / 2 + 2) / HEIGHT)
        self.assertEqual(batch.is_empty.sum(), (STEPS - batch.step_counts).sum())

    def test_ink_is_the_mean_of_a_step(self):
        batch = Lines("test", 0).batch(3)
        self.assertEqual(batch.ink[1, 5], batch.images[1, 0, :, 10:12].mean())

    def test_shifting_loses_what_leaves(self):
        image = np.arange(64, dtype=np.float32).reshape(8, 8)
        np.testing.assert_array_equal(shifted(image, 1)[1:], image[:-1])
        np.testing.assert_array_equal(shifted(image, -1)[:-1], image[1:])
        self.assertEqual(shifted(image, 1)[0].sum() + shifted(image, -1)[-1].sum(), 0)


class ReadingTest(unittest.TestCase):
    def test_repeats_and_blanks_are_dropped(self):
        best = [BLANK, 3, 3, BLANK, 3, 7, 7, BLANK, BLANK, 0]
        self.assertEqual(decode(np.eye(BLANK + 1)[best]), [3, 3, 7, 0])

    def test_edits(self):
        for read, written, edits in (([1, 2], [1, 2], 0), ([], [1, 2], 2), ([1, 2, 3], [2, 3], 1), ([1, 9, 3], [1, 2, 3], 1), ([3, 2, 1], [1, 2, 3], 2)):
            self.assertEqual(edit_distance(read, written), edits)

    def test_the_rate_counts_characters_of_all_lines(self):
        batch = Lines("test", 0).batch(2)
        written = [row[:n].tolist() for row, n in zip(batch.labels, batch.label_counts)]
        self.assertEqual(character_error_rate(written, batch), 0)
        self.assertEqual(character_error_rate([written[0], []], batch), len(written[1]) / batch.label_counts.sum())


if __name__ == "__main__":
    unittest.main()
