// SPDX-License-Identifier: Apache-2.0
//
// Single elements in a sequence, each with the element of a contiguous output to which it goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "loops/moves/place_lanes.h"

namespace portacl::loops::moves {

/// Elements next to each other, and the row-major positions in the output to which they go.
struct PlacedPiece {
  int64_t n;
  const uint32_t* places;
  const std::byte* elements;
};

class PlacedElements {
 public:
  /// The most that are read at once.
  static constexpr int64_t kPiece = 512;

  struct Buffer {
    alignas(64) uint32_t places[kPiece];
    alignas(64) std::byte elements[kPiece * 16];
  };

  virtual ~PlacedElements() = default;

  virtual int64_t count() const = 0;
  /// Those of number `first` to first + n, except those whose index names nothing. Callable from any thread.
  virtual PlacedPiece Read(int64_t first, int64_t n, Buffer& buffer) const = 0;

  /// Calls f(piece) for those of number `first` to `end`.
  template <class F>
  void ForEachPiece(int64_t first, int64_t end, const F& f) const {
    Buffer buffer;
    for (; first < end; first += kPiece) f(Read(first, std::min(kPiece, end - first), buffer));
  }
};

}  // namespace portacl::loops::moves
