// SPDX-License-Identifier: Apache-2.0
//
// Lane code for the gradients of normalisations.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::families {

/// The target of Tile::parameters.
struct NormBackwardParameters {
  int64_t channels;  // channels of a row, contiguous, with one weight each; 0: each element has its own weight
  bool is_centred;   // the mean was subtracted
};

/// With h = (x - mean) rstd and d = gradient * weight, computes dx = rstd (d - mean(d) - h mean(d h)), where mean(d) is
/// only subtracted if rows are centred, and the sums over rows of gradient * h and of gradient. Arguments are the
/// dtypes of x and of the weight (that of x, or FLOAT), and an instruction set (a HWY_* bit). Operands of the tile, as
/// loops::reductions::Normalize provides them: gradient, x, weight or null, dx or null, mean, rstd, and the two sums or
/// null.
loops::LaneFunction NormBackwardLanes(aclDataType dtype, aclDataType weight, int64_t target);

}  // namespace portacl::families
