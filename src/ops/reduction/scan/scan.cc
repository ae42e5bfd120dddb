// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <cstdint>

#include "exec/shape_rule.h"
#include "loops/reductions/scan.h"
#include "ops/reduction/scan/scan_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::scan {
namespace {

void PlanScan(exec::PlanBuilder& plan, int64_t dim, const loops::reductions::Running& running) {
  const int self = plan.Operand(0);
  const int axis = exec::AxisOf(dim, std::max(plan.OperandView(self).rank, 1));
  loops::reductions::Scan(plan, self, axis, plan.Output("out"), running);
}

void PlanCumsum(exec::PlanBuilder& plan) { PlanScan(plan, plan.Attribute<int64_t>("dim"), {}); }

void PlanCumsumV2(exec::PlanBuilder& plan) {
  PlanScan(plan, plan.Attribute<int64_t>("dim"),
           {.exclusive = plan.Attribute<bool>("exclusive"), .reverse = plan.Attribute<bool>("reverse")});
}

void PlanCumprod(exec::PlanBuilder& plan) {
  int64_t dim = 0;
  ScalarToInt64(*plan.Attribute<const aclScalar*>("dim"), &dim);
  PlanScan(plan, dim, {.product = true});
}

}  // namespace

}  // namespace portacl::ops::scan

#include "ops/reduction/scan/scan_functions.inc"
