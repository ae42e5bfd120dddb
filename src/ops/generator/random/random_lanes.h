// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

namespace portacl::ops::random {

/// The random numbers of a stream (simd/philox.h).
struct Stream {
  uint64_t seed;
  uint64_t offset;
};

/// The largest number of elements per call.
constexpr int64_t kBlock = 256;

struct RandomFunctions {
  /// Writes uniform numbers in [0, 1) for the elements [first, first + kBlock), with 24 bits of one word each.
  void (*of_one_word)(const Stream& stream, int64_t first, double* u);
  /// The same with 53 bits of two words each.
  void (*of_two_words)(const Stream& stream, int64_t first, double* u);
  /// u = min(from + u range, most), rounded down if is_whole; `n` is at most kBlock.
  void (*scale)(double from, double range, double most, bool is_whole, int64_t n, const double* u, double* values);
  /// The same rounded down, for integers that float32 can represent.
  void (*scale_to_whole)(double from, double range, double most, int64_t n, const double* u, float* values);
  /// Converts kBlock uniform numbers to normally distributed ones, in pairs, by the method of G. Box and M. Muller.
  void (*to_normal)(double mean, double deviation, double* u);
};

RandomFunctions FunctionsFor(int64_t target);

}  // namespace portacl::ops::random
