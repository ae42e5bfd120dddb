// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "loops/moves/stream.h"

namespace portacl::ops::sample {

using loops::moves::Stream;

/// The number of elements per call, which begin at an even one.
constexpr int64_t kBlock = 256;

/// The rows of a table, and the columns of which it has a multiple.
constexpr int64_t kRows = 16;
constexpr int64_t kColumns = 16;

struct SampleFunctions {
  /// Two words of the stream for each element, as integers.
  void (*pairs)(const Stream& stream, int64_t first, uint64_t* pairs);
  /// The same as uniform numbers in [0, 1).
  void (*uniform)(const Stream& stream, int64_t first, double* u);
  /// The same as exponentially distributed numbers: -ln(1 - u).
  void (*exponential)(const Stream& stream, int64_t first, double* u);
  /// Sorts the numbers of each column of a table, in which those of a row are next to each other. `alike` has a byte for
  /// each kColumns of them: 1 where neighbours in one differ in no bit but the `low` ones, and are not all ones.
  void (*sort_columns)(uint32_t* table, int64_t columns, uint32_t low, uint8_t* alike);
};

SampleFunctions FunctionsFor(int64_t target);

}  // namespace portacl::ops::sample
