// SPDX-License-Identifier: Apache-2.0
//
// What Copy does with a tile of one source and one target.
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
  MoveFunction reverse;                  // null where the elements have none
  alignas(16) std::byte value[16] = {};  // of a box that has no source
};

/// A lane function that takes any strides. Source and target are the very same elements, or do not overlap.
void CopyTile(const Tile& tile);

/// What a tile is handed that goes from one dtype to the other.
CopyParameters CopyParametersOf(aclDataType from, aclDataType to);

/// Arithmetic of one core.
double CopyNsPerElement(const CopyParameters& parameters);

}  // namespace portacl::loops::moves
