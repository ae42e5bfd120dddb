// SPDX-License-Identifier: Apache-2.0
//
// How Copy handles a tile with one source and one target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/elements/conversion.h"
#include "loops/elements/move_lanes.h"
#include "loops/tiles/tile.h"

namespace portacl::loops::moves {

struct CopyParameters {
  const Conversion* conversion;
  MoveFunction stream;
  MoveFunction fill;
  MoveFunction reverse;                  // null where there is none for the element size
  alignas(16) std::byte value[16] = {};  // for a box without a source
};

/// A lane function that takes any strides. Source and target are the very same elements, or do not overlap.
void CopyTile(const Tile& tile);

/// The parameters of a tile that is copied from one dtype to the other.
CopyParameters CopyParametersOf(aclDataType from, aclDataType to);

/// Time for the arithmetic on one core.
double CopyNsPerElement(const CopyParameters& parameters);

}  // namespace portacl::loops::moves
