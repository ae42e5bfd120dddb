// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
#pragma once

#include <cstdint>

#include "families/loss.h"

namespace portacl::ops::regression {

enum class Function : uint8_t { kMse, kL1 };

/// The functions for FLOAT, FLOAT16 or BFLOAT16 and this instruction set (a HWY_* bit).
families::LossLanes Lanes(Function function, aclDataType dtype, int64_t target);

/// The same for the gradient; parameters: families::LossGradientParameters.
loops::LaneFunction GradientLanes(Function function, aclDataType dtype, int64_t target);

}  // namespace portacl::ops::regression
