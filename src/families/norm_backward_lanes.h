// SPDX-License-Identifier: Apache-2.0
//
// Lane code of the gradients of normalisations.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::families {

/// What the tiles' `parameters` point to.
struct NormBackwardParameters {
  int64_t channels;  // of a row, each with as many elements and one weight; 0: each element has its own
  bool is_centred;   // the mean was taken off
};

/// With h = (x - mean) rstd and d = gradient * weight: dx = rstd (d - mean(d) - h mean(d h)), the second term where rows
/// are centred; the sums over rows of gradient * h and of the gradient. For these dtypes of x and of the weight (that of
/// x, or FLOAT), and an instruction set (a HWY_* bit). Operands of the tile, which loops::reductions::Normalize makes: gradient, x,
/// weight or null, dx or null, mean, rstd, and the two sums, or null.
loops::LaneFunction NormBackwardLanes(aclDataType dtype, aclDataType weight, int64_t target);

}  // namespace portacl::families
