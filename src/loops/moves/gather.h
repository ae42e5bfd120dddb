// SPDX-License-Identifier: Apache-2.0
//
// Rows that a tensor of indices names. Indices are data: the run tests them. One that is negative, or not less than the
// size of its axis, touches no memory but for zeros, and the run fails with 507015 and a message that names the first.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans out = self with the axis `dim` replaced by the axes of `index`, INT32 or INT64 (numbers of
/// PlanBuilder::Operand). Of a tensor of rank 0, as self or index, the one element counts as an axis; `out` may
/// lack that of the index. Rows of an index that is none are 0.
PORTACL_EXPORT void Gather(exec::PlanBuilder& plan, int self, int dim, int index, int out);

/// Plans out[..., index[k], ...] = source[..., k, ...] along `dim`, for one k after the other: the last of equal indices
/// counts. Rows of `out` that are not named are those of `self`; where it is kNothing they stay. So do rows of an index
/// that is none.
inline constexpr int kNothing = -1;
PORTACL_EXPORT void Scatter(exec::PlanBuilder& plan, int self, int dim, int index, int source, int out);

/// Plans out = element i of `self` along `dim`, or in row-major order where it is kNothing, `repeats`[i] times (INT64;
/// one element counts for all). The run fails and writes nothing where one is negative, or their sum is not the size of
/// `out`.
PORTACL_EXPORT void RepeatRows(exec::PlanBuilder& plan, int self, int dim, int repeats, int out);

}  // namespace v1
}  // namespace portacl::loops::moves
