// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/tiles/tile.h"

namespace portacl::ops::complex {

/// Operands 0 and 1, of dtype `part`, become the real and imaginary parts of operand 2. `target` is a HWY_* bit.
loops::LaneFunction JoinLanes(aclDataType part, int64_t target);

}  // namespace portacl::ops::complex
