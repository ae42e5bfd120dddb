// SPDX-License-Identifier: Apache-2.0
//
// Dot products of bfloat16 by instructions that add two products (AVX512_BF16), with the bits of DotLanes::dot. The
// instructions flush subnormal inputs and results to 0, so rows where these may occur are left to DotLanes.
#pragma once

#include <cstdint>

#include "base/bfloat16_unit.h"
#include "loops/products/dot_lanes.h"

namespace portacl::loops::products {

/// Only DotLanes of as many lanes sum in the same order.
inline constexpr int64_t kPairLanes = 16;

/// Columns, packed one after the other: the elements of each in pairs, exchanged within a pair.
struct PairColumns {
  uint16_t* elements;
  uint16_t least;  // the bits of the smallest nonzero magnitude of all columns, minus 1
};

struct PairDots {
  /// Packs a column of bfloat16 values, padded to PaddedPairs(depth), and lowers `least`.
  void (*pack_column)(const float* from, int64_t depth, uint16_t* to, uint16_t* least);
  /// DotLanes::dot for rows of bfloat16. `tile.columns` has the same columns for `lanes`.
  void (*dot)(const DotTile& tile, const PairColumns& columns, const DotLanes& lanes);
};

/// An odd number of cache lines, so that several columns do not share places of the first-level cache.
constexpr int64_t PaddedPairs(int64_t depth) { return (((depth + 31) / 32) | 1) * 32; }

/// Null if there are no such instructions.
const PairDots* PairDotsOf(Bfloat16Unit unit);

}  // namespace portacl::loops::products
