// SPDX-License-Identifier: Apache-2.0
// The last plans of each thread: a call that differs from an earlier one at most in addresses is neither checked nor
// planned again. Programs repeat their calls, and comparing the arguments takes a tenth of the time of checking them.
#pragma once

#include <cstdint>
#include <span>

#include "exec/executor.h"
#include "exec/plan.h"
#include "exec/schema.h"
#include "exec/value.h"

namespace portacl::exec {

// The plan of an equal call of this thread - same operator, SoC, instruction set, and everything else of the arguments
// that a check or a plan may read - with the addresses of this call. Null when there is no such plan. The result
// pointers of the call are not null.
Executor* FindPlan(const Schema& schema, PlanFunction plan, std::span<const Value> values);

// Keeps a copy of the plan that this call led to. Does nothing without memory, for a plan larger than some KiB, or for
// a call with long strings, lists of scalars or more than a few tensors.
void KeepPlan(const Schema& schema, PlanFunction plan, std::span<const Value> values,
              const Executor& executor) noexcept;

}  // namespace portacl::exec
