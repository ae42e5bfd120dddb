// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::rms_norm {

/// The struct that the tiles' `parameters` point to.
struct RmsNormParameters {
  float epsilon;
};

/// The function for these dtypes of x and of gamma (the dtype of x, or FLOAT), and an instruction set (a HWY_* bit).
/// Operands of the tile, which loops::reductions::Normalize provides: x, gamma, y, rstd.
loops::LaneFunction RmsNormLanes(aclDataType dtype, aclDataType gamma, int64_t target);

/// The same with one dtype. Operands of the tile: x1, x2, gamma, x or null, y, rstd. Scratch: a row of floats.
loops::LaneFunction AddRmsNormLanes(aclDataType dtype, int64_t target);

/// Bytes of that scratch row, with two more registers.
constexpr int64_t SumBytes(int64_t columns) { return (columns + 128) * int64_t{sizeof(float)}; }

}  // namespace portacl::ops::rms_norm
