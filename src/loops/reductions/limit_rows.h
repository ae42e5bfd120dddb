// SPDX-License-Identifier: Apache-2.0
//
// Limits the norms of rows that a tensor of indices names.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {
inline namespace v1 {

/// Plans self[i, :] *= most / (norm + 1e-7) for each i in `indices` whose row has a larger norm of the order `order` than
/// `most`; a row that is named several times is limited once. self is FLOAT, FLOAT16 or BFLOAT16 and has two axes
/// (numbers of PlanBuilder::Operand). Rows are read in float64 and rounded once. An index out of range is passed over,
/// and the run fails.
PORTACL_EXPORT void LimitRows(exec::PlanBuilder& plan, int self, int indices, double most, double order);

}  // namespace v1
}  // namespace portacl::loops::reductions
