#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes data/digits/digits.npy and labels.npy from scikit-learn's copy of the UCI handwritten digits.

Run once, with scikit-learn 1.2.1 (Debian 12: python3-sklearn); the results are kept in the repository.
"""
import pathlib

import numpy
from sklearn.datasets import load_digits

digits = load_digits()
images = digits.images
assert images.shape == (1797, 8, 8) and images.min() == 0 and images.max() == 16
path = pathlib.Path(__file__).resolve().parent.parent / "data" / "digits" / "digits.npy"
path.parent.mkdir(parents=True, exist_ok=True)
numpy.save(path, images.astype(numpy.uint8))
numpy.save(path.with_name("labels.npy"), digits.target.astype(numpy.uint8))
print(f"{path}: {images.shape[0]} images of {images.shape[1]}x{images.shape[2]}, {path.stat().st_size} bytes")
