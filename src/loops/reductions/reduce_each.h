// SPDX-License-Identifier: Apache-2.0
//
// Reductions of several tensors as one call.
#pragma once

#include <span>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/reductions/reduce_axes.h"

namespace portacl::loops::reductions {

inline namespace v1 {

/// Plans the reduction of each tensor along all its axes. `operands` has a tensor and its result for each.
PORTACL_EXPORT void ReduceEach(exec::PlanBuilder& builder, std::span<const int> operands, const Reducer& reducer,
                               const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops::reductions
