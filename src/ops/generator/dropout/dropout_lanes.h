// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "loops/moves/stream.h"

namespace portacl::ops::dropout {

using loops::moves::Stream;

/// The number of words per call.
constexpr int64_t kBlock = 256;

struct DropoutFunctions {
  /// Bit i of kBlock bits, of which 8 are in a byte, is 1 where the first 24 bits of word `first` + i are at least
  /// `end`. Another 8 bytes may be written.
  void (*generate)(const Stream& stream, int64_t first, uint32_t end, uint8_t* bits);
  /// values[i] = values[i] * factor where bit i is 1, 0 elsewhere. Products are rounded to the nearest, or to the odd
  /// one of two neighbours, of which a narrower dtype can be rounded as if from the product. `bits` has 8 more bytes.
  void (*apply)(const uint8_t* bits, bool to_odd, float factor, int64_t n, float* values);
};

DropoutFunctions FunctionsFor(int64_t target);

}  // namespace portacl::ops::dropout
