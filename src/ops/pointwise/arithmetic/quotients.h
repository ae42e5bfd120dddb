// SPDX-License-Identifier: Apache-2.0
// How quotients and remainders are planned.
#pragma once

#include "exec/plan.h"

namespace portacl::ops::arithmetic {

void PlanDiv(exec::PlanBuilder& plan);
void PlanDivs(exec::PlanBuilder& plan);
void PlanDivMod(exec::PlanBuilder& plan);
void PlanDivMods(exec::PlanBuilder& plan);
void PlanFloorDivide(exec::PlanBuilder& plan);
void PlanFmodTensor(exec::PlanBuilder& plan);
void PlanRemainderTensorTensor(exec::PlanBuilder& plan);
void PlanGcd(exec::PlanBuilder& plan);

}  // namespace portacl::ops::arithmetic
