// SPDX-License-Identifier: Apache-2.0
//
// Adds the tensors of a list, element by element.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

inline namespace v1 {

/// Plans out = the sum of the `count` operands from `first` on, which are broadcast to the shape of `out` and have its
/// real dtype. Floats are added in float64, in the order of the list, and rounded once; of 16 bits, groups of four are
/// added in FLOAT first. DOUBLE keeps what each step loses. Integers wrap modulo 2^n.
PORTACL_EXPORT void SumTensors(exec::PlanBuilder& builder, int first, int count, int out);

}  // namespace v1
}  // namespace portacl::loops::reductions
