// SPDX-License-Identifier: Apache-2.0
//
// Convolution with outputs in the lanes: each element of the image is multiplied with the weights that it has for
// neighbouring outputs.
#pragma once

#include <cstdint>

namespace portacl::loops::convolutions {

/// A result's first element, and where the sums of its outputs go.
struct PixelRow {
  const float* from;
  float* to;
};

/// Terms that follow each other: elements from that one on, counted from a row's first, times weights of as many terms.
struct PixelRun {
  int64_t element;
  int64_t term;
  int64_t count;
};

struct PixelTile {
  const PixelRow* rows;
  int64_t row_count;  // even
  const PixelRun* runs;
  int64_t run_count;
  const float* weights;  // [term][vectors * lanes]
  int64_t vectors;       // of outputs
  int64_t column;        // of a row's sums, the first
  bool adds;             // to the sums that are there
};

struct PixelLanes {
  int64_t lanes;
  int64_t vectors;  // of a tile, at most
  void (*multiply)(const PixelTile& tile);
  /// sums[i] += from[i]
  void (*add_wide)(const float* from, int64_t count, double* sums);
  /// rows[r][i] += addends[i]; `count` is a multiple of `lanes`.
  void (*add_row)(const float* addends, int64_t rows, int64_t count, float* to);
  /// Rows of one register, `from_taps` for each input, to rows `stride` apart: for each of some taps, all inputs.
  void (*spread)(const float* from, int64_t inputs, int64_t from_taps, const int64_t* taps, int64_t count, float* to,
                 int64_t stride);
  /// to[channels * i + c] = channel c's element i; two, three or four channels, `channel_stride` elements apart.
  void (*interleave)(const float* from, int64_t channel_stride, int64_t channels, int64_t count, float* to);
};

PixelLanes PixelLanesOf(int64_t target);

}  // namespace portacl::loops::convolutions
