// SPDX-License-Identifier: Apache-2.0
//
// Resizes images.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans out = self with the axes `axis` and `axis` + 1 resized by nearest neighbours (numbers of PlanBuilder::Operand;
/// dtypes of 1, 2, 4 or 8 bytes). Position i of n reads position min(floor(i * (size of self / n)), size of self - 1),
/// computed in float32. Any strides.
PORTACL_EXPORT void ResizeNearest(exec::PlanBuilder& plan, int self, int axis, int out);

}  // namespace v1
}  // namespace portacl::loops::moves
