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

struct SampleFunctions {
  /// Two words of the stream for each element, as integers; the bits of `mask` are those of the number of the element.
  void (*pairs)(const Stream& stream, int64_t first, uint64_t mask, uint64_t* pairs);
  /// The words as uniform numbers in [0, 1).
  void (*uniform)(const Stream& stream, int64_t first, double* u);
  /// The same as exponentially distributed numbers: -ln(1 - u).
  void (*exponential)(const Stream& stream, int64_t first, double* u);
};

SampleFunctions FunctionsFor(int64_t target);

}  // namespace portacl::ops::sample
