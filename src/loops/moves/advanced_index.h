// SPDX-License-Identifier: Apache-2.0
//
// Elements that a list of integers and masks names (index_entries.h). Integers are tested in the run, negative ones
// count from the end. If one is out of range, the run fails with 507015 and a message that names the first such index;
// its elements are read as 0, and nothing is written for it. If a mask names another number of elements than the
// operands have, the run fails so and writes nothing.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans out = self[indices]. `self` and `out` are numbers of PlanBuilder::Operand, `indices` is an argument.
PORTACL_EXPORT void Index(exec::PlanBuilder& plan, int self, int indices, int out);

/// Plans self[indices] = values, which are broadcast: of equal places the last one counts. If `adds`, the values are
/// added, those of a place in the order of the indices (combine.h).
PORTACL_EXPORT void IndexPut(exec::PlanBuilder& plan, int self, int indices, int values, bool adds);

}  // namespace v1
}  // namespace portacl::loops::moves
