// SPDX-License-Identifier: Apache-2.0
//
// Selects rows by a tensor of indices. Indices are data, so they are tested in the run. If one is negative, or not less
// than the size of its axis, the run fails with 507015 and a message that names the first such index; for its row
// nothing is read, and at most zeros are written.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans out = self with the axis `dim` replaced by the axes of `index`, INT32 or INT64 (numbers of
/// PlanBuilder::Operand). If self or index has rank 0, its single element counts as an axis; `out` may lack that axis
/// of the index. Rows with an index out of range become 0.
PORTACL_EXPORT void Gather(exec::PlanBuilder& plan, int self, int dim, int index, int out);

/// Plans out[..., index[k], ...] = source[..., k, ...] along `dim`, in the order of k: of equal indices the last one
/// counts. The other rows of `out` are copied from `self`; where it is kNothing they stay. Indices out of range change
/// nothing.
inline constexpr int kNothing = -1;
PORTACL_EXPORT void Scatter(exec::PlanBuilder& plan, int self, int dim, int index, int source, int out);

/// Plans out = element i of `self` along `dim`, or in row-major order where it is kNothing, `repeats`[i] times (INT64;
/// a single count holds for all elements). The run fails and writes nothing if a count is negative, or if their sum is
/// not the size of `out`.
PORTACL_EXPORT void RepeatRows(exec::PlanBuilder& plan, int self, int dim, int repeats, int out);

}  // namespace v1
}  // namespace portacl::loops::moves
