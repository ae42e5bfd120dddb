// SPDX-License-Identifier: Apache-2.0
//
// Convolution with output channels in the lanes: each element of the image is multiplied by its weights for
// neighbouring outputs.
#pragma once

#include <cstdint>

namespace portacl::loops::convolutions {

/// The first element that a result reads, and where the sums of its outputs are stored.
struct PixelRow {
  const float* from;
  float* to;
};

/// Consecutive terms: elements from `element` on, relative to the first one of a row, times weights from `term` on.
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
  int64_t vectors;       // registers of outputs
  int64_t column;        // first column of a row's sums
  bool adds;             // to the existing sums
};

struct PixelLanes {
  int64_t lanes;
  int64_t vectors;  // most per tile
  void (*multiply)(const PixelTile& tile);
  /// sums[i] += from[i]
  void (*add_wide)(const float* from, int64_t count, double* sums);
  /// rows[r][i] += addends[i]; `count` is a multiple of `lanes`.
  void (*add_row)(const float* addends, int64_t rows, int64_t count, float* to);
  /// Transposes weights. `from` holds one row of a register's outputs for each input and each of `from_taps` taps; the
  /// rows of `taps` are stored `stride` apart, all inputs of a tap together.
  void (*spread)(const float* from, int64_t inputs, int64_t from_taps, const int64_t* taps, int64_t count, float* to,
                 int64_t stride);
  /// to[channels * i + c] = channel c's element i; two, three or four channels, `channel_stride` elements apart.
  void (*interleave)(const float* from, int64_t channel_stride, int64_t channels, int64_t count, float* to);
  void (*interleave_halves)(const uint16_t* from, int64_t channel_stride, int64_t channels, int64_t count,
                            uint16_t* to);
};

PixelLanes PixelLanesOf(int64_t target);

}  // namespace portacl::loops::convolutions
