// SPDX-License-Identifier: Apache-2.0
//
// Moves the elements that a mask names next to each other, and back. How many there are is known in the run only: the
// mask is read once, into bits that are counted by block; then each block knows where its elements belong.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans out = the coordinates of the elements of `self` that are not zero, in row-major order: a row each, or, if
/// `is_transposed`, a column each. `out` is data-dependent and INT64 (numbers of PlanBuilder::Operand).
PORTACL_EXPORT void Nonzero(exec::PlanBuilder& plan, int self, int out, bool is_transposed);

/// Plans out = the elements of `self` where `mask` is not zero, in row-major order, converted to the dtype of `out`,
/// which is data-dependent. Both inputs are broadcast to each other.
PORTACL_EXPORT void SelectMasked(exec::PlanBuilder& plan, int self, int mask, int out);

/// Plans that the elements of `self` where `mask`, which is broadcast to its shape, is not zero become those of
/// `source`, in row-major order. If `source` has too few, the run fails with 507015 after it has used all of them.
PORTACL_EXPORT void ScatterMasked(exec::PlanBuilder& plan, int self, int mask, int source);

}  // namespace v1
}  // namespace portacl::loops::moves
