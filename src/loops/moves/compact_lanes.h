// SPDX-License-Identifier: Apache-2.0
//
// Finds the elements that are not zero, as bits in the order of the elements, and moves elements to the front of a row.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops::moves {

/// Bits are read this far behind the last one.
inline constexpr int64_t kBitsSlackBytes = 64;
/// Positions are written this far behind the last one.
inline constexpr int64_t kPositionsSlack = 64;

struct CompactLanes {
  /// Sets bit i where element i has a bit in common with `significant`; the bits up to the next multiple of 512 are 0.
  void (*test)(const std::byte* elements, int64_t n, uint64_t significant, uint8_t* bits);
  /// The number of bits that are set; n is a multiple of 64.
  int64_t (*count)(const uint8_t* bits, int64_t n);
  /// Stores the positions of the bits that are set, and returns their number.
  int64_t (*positions)(const uint8_t* bits, int64_t n, uint32_t* to);
  /// Stores first + positions[i].
  void (*widen)(const uint32_t* positions, int64_t n, int64_t first, int64_t* to);
  /// Moves the `count` elements whose bits are set, out of n, next to each other, and writes nothing behind them.
  void (*compress)(const std::byte* elements, const uint8_t* bits, int64_t n, int64_t count, std::byte* to);
};

/// The functions for elements of 1, 2, 4 or 8 bytes.
CompactLanes CompactLanesOf(int64_t element_bytes, int64_t target);

}  // namespace portacl::loops::moves
