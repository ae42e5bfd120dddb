// SPDX-License-Identifier: Apache-2.0
//
// Keeps the largest elements of rows, by their number and by the sum of their probabilities.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::reductions {

inline namespace v1 {

/// Plans out = the rows of `logits`, a matrix of FLOAT, FLOAT16 or BFLOAT16, with -inf for what `k` and then `p` leave
/// out; each has an element for each row, or is kNoOperand. `p` has the dtype of logits, `k` is INT32. Elements that are
/// smaller than the k-th largest are left out, if there are more than k; then those whose probability and that of all
/// smaller ones together are at most 1 - p, but for the last of the largest.
PORTACL_EXPORT void TopKTopP(exec::PlanBuilder& plan, int logits, int p, int k, int out);

}  // namespace v1
}  // namespace portacl::loops::reductions
