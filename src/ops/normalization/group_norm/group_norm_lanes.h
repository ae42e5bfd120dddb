// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::group_norm {

/// The struct that the tiles' `parameters` point to.
struct GroupNormParameters {
  float eps;
  int64_t channels;  // channels of a row, of equal size; 0: gamma and beta have an element for each of the row
};

/// The function for this dtype and instruction set (a HWY_* bit). Operands of the tile, which
/// loops::reductions::Normalize provides: self, gamma or null, beta or null, out, mean, rstd. A row is a group.
loops::LaneFunction GroupNormLanes(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::group_norm
