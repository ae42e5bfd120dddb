// SPDX-License-Identifier: Apache-2.0
//
// Images of another size.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans out = self with the axes `axis` and `axis` + 1 of other sizes, by nearest neighbours (numbers of
/// PlanBuilder::Operand; dtypes of 1, 2, 4 or 8 bytes). Place i of n comes from place
/// min(floor(i * (size of self / n)), size of self - 1), computed in float32. Any strides.
PORTACL_EXPORT void ResizeNearest(exec::PlanBuilder& plan, int self, int axis, int out);

}  // namespace v1
}  // namespace portacl::loops::moves
