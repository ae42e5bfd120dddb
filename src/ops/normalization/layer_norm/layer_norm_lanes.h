// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::layer_norm {

/// The struct that the tiles' `parameters` point to.
struct LayerNormParameters {
  float eps;
};

/// The function for these dtypes of input and of weight and bias (the dtype of input, or FLOAT), and an instruction set
/// (a HWY_* bit). Operands of the tile, which loops::reductions::Normalize provides: input, weight or null, bias or
/// null, out, mean, rstd.
loops::LaneFunction LayerNormLanes(aclDataType dtype, aclDataType parameters, int64_t target);

}  // namespace portacl::ops::layer_norm
