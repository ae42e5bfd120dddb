// SPDX-License-Identifier: Apache-2.0
//
// Plans of the comparisons whose results say whether operands are equal, or almost.
#pragma once

#include "exec/plan.h"

namespace portacl::ops::comparison {

void PlanIsClose(exec::PlanBuilder& plan);
void PlanEqual(exec::PlanBuilder& plan);

}  // namespace portacl::ops::comparison
