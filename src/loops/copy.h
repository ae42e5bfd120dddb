// SPDX-License-Identifier: Apache-2.0
//
// The copying engine: elements from one view to another, of any strides and of any dtypes that hold numbers.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops {

inline namespace v1 {

/// Plans to = from, which is broadcast to the shape of `to` (numbers of PlanBuilder::Operand). The bits are moved where
/// the dtypes are the same. Otherwise floats are rounded once, to nearest even; become integers by truncation, limited
/// to their range, NaN to 0; integers become narrower ones by their low bits; BOOL is 0 or 1, of any byte that is not
/// 0; of complex numbers reals take the real part, and the other way round the imaginary part is 0.
PORTACL_EXPORT void Copy(exec::PlanBuilder& plan, int from, int to);

}  // namespace v1

}  // namespace portacl::loops
