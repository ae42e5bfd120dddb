// SPDX-License-Identifier: Apache-2.0
// The last plans of each thread: a call that differs from an earlier one at most in addresses is neither checked nor
// planned again. Programs repeat themselves, and comparing the arguments costs a tenth of judging them.
#pragma once

#include <cstdint>
#include <span>

#include "exec/executor.h"
#include "exec/plan.h"
#include "exec/schema.h"
#include "exec/value.h"

namespace portacl::exec {

// The plan of an equal call of this thread - same operator, SoC, instruction set, and whatever else a check or a
// plan may read of the arguments - with the addresses of this one. Null when none is kept. The result pointers of the
// call are not null.
Executor* FindPlan(const Schema& schema, PlanFunction plan, std::span<const Value> values);

// Keeps a copy of the plan that this call led to. Nothing is kept without memory, of a plan beyond some KiB, or of a
// call with long strings, lists of scalars or more than some tensors.
void KeepPlan(const Schema& schema, PlanFunction plan, std::span<const Value> values,
              const Executor& executor) noexcept;

}  // namespace portacl::exec
