// SPDX-License-Identifier: Apache-2.0
//
// Selects rows by a tensor of indices. Indices are data, so they are tested in the run. If one is negative, or not less
// than the size of its axis, the run fails with 507015 and a message that names the first such index; for its row
// nothing is read, and at most zeros are written.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline constexpr int kNothing = -1;

inline namespace v1 {

/// Plans out = self with the axis `dim` replaced by the axes of `index`, INT32 or INT64 (numbers of
/// PlanBuilder::Operand). If self or index has rank 0, its single element counts as an axis; `out` may lack that axis
/// of the index. The first `batch_dims` axes, at most `dim`, are common to self, index and out. Rows with an index out
/// of range become 0.
PORTACL_EXPORT void Gather(exec::PlanBuilder& plan, int self, int dim, int index, int out, int batch_dims = 0);

/// Plans out[..., k, ...] = self[..., index[..., k, ...], ...] along `dim`; out has the shape of index. Negative indices
/// count from the end.
PORTACL_EXPORT void GatherElements(exec::PlanBuilder& plan, int self, int dim, int index, int out);

/// Plans out[k, ...] = self[index[k], ...]: the last axis of `index` has one number for each of the first `components`
/// axes of self. Where that is kNothing, each element of index is a row-major position in self. Negative numbers count
/// from the end.
PORTACL_EXPORT void GatherNamed(exec::PlanBuilder& plan, int self, int index, int components, int out);

/// Plans out = element i of `self` along `dim`, or in row-major order where it is kNothing, `repeats`[i] times (INT64;
/// a single count holds for all elements). The run fails and writes nothing if a count is negative, or if their sum is
/// not the size of `out`.
PORTACL_EXPORT void RepeatRows(exec::PlanBuilder& plan, int self, int dim, int repeats, int out);

/// Plans out = the number i, `repeats`[i] times, for all i; out has one axis and the dtype of repeats. The run fails as
/// that of RepeatRows.
PORTACL_EXPORT void RepeatNumbers(exec::PlanBuilder& plan, int repeats, int out);

}  // namespace v1
}  // namespace portacl::loops::moves
