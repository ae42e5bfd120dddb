// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <algorithm>
#include <cstdint>
#include <span>

#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "exec/shape_rule.h"
#include "families/define.h"
#include "loops/scan.h"
#include "ops/reduction/scan/scan_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::scan {
namespace {

void PlanScan(exec::PlanBuilder& plan, int64_t dim, const loops::Running& running) {
  const int self = plan.Operand(0);
  const int axis = exec::AxisOf(dim, std::max(plan.OperandView(self).rank, 1));
  loops::Scan(plan, self, axis, plan.Output("out"), running);
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

PORTACL_DEFINE_OPERATOR(aclnnCumsum, kCumsum, PlanCumsum,
                        (const aclTensor* self, int64_t dim, aclDataType dtype, aclTensor* out), self, dim, dtype, out)
PORTACL_DEFINE_OPERATOR(aclnnCumsumV2, kCumsumV2, PlanCumsumV2,
                        (const aclTensor* self, int64_t dim, bool exclusive, bool reverse, aclTensor* out), self, dim,
                        exclusive, reverse, out)
PORTACL_DEFINE_OPERATOR(aclnnCumprod, kCumprod, PlanCumprod,
                        (const aclTensor* input, const aclScalar* dim, const aclDataType dtype, aclTensor* out), input,
                        dim, dtype, out)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Cumsum), PORTACL_BIND(CumsumV2), PORTACL_BIND(Cumprod)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::scan
