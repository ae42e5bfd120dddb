// SPDX-License-Identifier: Apache-2.0
//
// Finds the places that are named more than once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "loops/tiles/tiling.h"

namespace portacl::loops::moves {

/// A bit for each place that is named, and one for each that is named again.
class PlaceBits {
 public:
  PlaceBits(uint64_t* words, int64_t places) : words_(words) { std::fill_n(words, Words(places), 0); }
  static int64_t Words(int64_t places) { return 2 * CeilDivide(places, kBits); }

  /// Returns whether the place was named before.
  bool Name(uint64_t place) {
    uint64_t* const words = words_ + 2 * (place / kBits);
    if ((words[0] & Mask(place)) != 0) {
      words[1] |= Mask(place);
      return true;
    }
    words[0] |= Mask(place);
    return false;
  }
  /// Returns whether it was named since it was forgotten.
  bool Forget(uint64_t place) {
    uint64_t* const words = words_ + 2 * (place / kBits);
    const bool was_named = (words[0] & Mask(place)) != 0;
    words[0] &= ~Mask(place);
    return was_named;
  }
  bool IsRepeated(uint64_t place) const { return (words_[2 * (place / kBits) + 1] & Mask(place)) != 0; }

 private:
  static constexpr int64_t kBits = 64;
  static uint64_t Mask(uint64_t place) { return uint64_t{1} << place % kBits; }

  uint64_t* words_;
};

}  // namespace portacl::loops::moves
