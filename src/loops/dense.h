// SPDX-License-Identifier: Apache-2.0
//
// Hands a tile of any strides to lane code that only knows contiguous rows.
#pragma once

#include "loops/nest.h"
#include "loops/tile.h"

namespace portacl::loops {

/// Calls `run` on the tile itself when its rows are contiguous and not too short; otherwise on blocks of it, copied
/// through buffers on the stack as far as an operand needs it. The first `inputs` operands are read, the others
/// written.
void RunTile(LaneFunction run, const Nest& nest, int inputs, const Tile& tile);

}  // namespace portacl::loops
