// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "loops/moves/stream.h"

namespace portacl::ops::random {

using loops::moves::Stream;

/// The largest number of elements per call. Functions may compute more than the n that are asked for, up to this many.
constexpr int64_t kBlock = 256;

struct RandomFunctions {
  /// Writes uniform numbers in [0, 1) for the elements [first, first + n), with 24 bits of one word each.
  void (*of_one_word)(const Stream& stream, int64_t first, int64_t n, double* u);
  /// The same with 53 bits of two words each.
  void (*of_two_words)(const Stream& stream, int64_t first, int64_t n, double* u);
  /// u = min(from + u range, most), rounded down if is_whole.
  void (*scale)(double from, double range, double most, bool is_whole, int64_t n, double* u);
  /// Converts uniform numbers to normally distributed ones, in pairs, by the method of G. Box and M. Muller.
  void (*to_normal)(double mean, double deviation, int64_t n, double* u);
  /// Converts n numbers to float32, and no more: to the nearest, or to the odd one of two neighbours, of which a narrower
  /// dtype can be rounded as if from float64.
  void (*narrow)(bool to_odd, int64_t n, const double* from, float* values);
  /// 1 where the first 24 bits of the element's word are less than `end`, 0 elsewhere.
  void (*where_less)(const Stream& stream, int64_t first, int64_t n, uint32_t end, float* values);
  /// from + the upper half of word * count, for 0 < count <= 2^32.
  void (*below)(const Stream& stream, int64_t first, int64_t n, int64_t from, uint64_t count, int64_t* values);
  void (*below_narrow)(const Stream& stream, int64_t first, int64_t n, int64_t from, uint64_t count, int32_t* values);
  /// The words themselves, up to 2 kBlock.
  void (*words)(const Stream& stream, int64_t first, int64_t n, uint32_t* words);
};

RandomFunctions FunctionsFor(int64_t target);

}  // namespace portacl::ops::random
