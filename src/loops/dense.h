// SPDX-License-Identifier: Apache-2.0
//
// Hands a tile of any strides to lane code that only knows contiguous rows.
#pragma once

#include "loops/nest.h"
#include "loops/tile.h"

namespace portacl::loops {

/// True when lane code can take a tile of this size as it is: every operand's rows are contiguous, and they are not too
/// short for a loop of their own.
bool RowsAreDense(const Nest& nest, int64_t rows, int64_t columns);

/// Calls `run` on the tile itself when its rows are dense; otherwise on blocks of it, copied through buffers on the
/// stack as far as an operand needs it. The first `inputs` operands are read, the others written.
void RunTile(LaneFunction run, const Nest& nest, int inputs, const Tile& tile);

}  // namespace portacl::loops
