// SPDX-License-Identifier: Apache-2.0
//
// Draws permutations.
#pragma once

#include "exec/plan.h"

namespace portacl::ops::sample {

/// Plans out = the integers from 0 on, sorted by random keys. Results do not depend on the number of threads.
void PlanPermutation(exec::PlanBuilder& plan);

}  // namespace portacl::ops::sample
