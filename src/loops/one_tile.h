// SPDX-License-Identifier: Apache-2.0
//
// The plan of a call that is a single tile, as most small calls are: nothing is left to walk.
#pragma once

#include <cstdint>

#include "loops/plan.h"

namespace portacl::loops {

/// Of the lane code, cut and operands of `whole`, whose only tile the lane code takes as it lies.
void PlanOneTile(exec::PlanBuilder& builder, const TilePlan& whole, int64_t scratch_bytes, double ns_per_element);

}  // namespace portacl::loops
