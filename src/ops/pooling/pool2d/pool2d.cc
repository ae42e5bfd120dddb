// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_max_pool.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "families/define.h"
#include "ops/pooling/pool2d/pool2d_spec.h"

namespace portacl::ops::pool2d {
namespace {

void PlanAvgPool2d(exec::PlanBuilder& plan) {
  loops::Pooling pooling{.divisor = plan.Attribute<int64_t>(kAvgPool2d.Index("divisorOverride")),
                         .counts_padding = plan.Attribute<bool>(kAvgPool2d.Index("countIncludePad"))};
  const Numbers numbers = {plan.Ints(kAvgPool2d.Index("kernelSize")), plan.Ints(kAvgPool2d.Index("strides")),
                           plan.Ints(kAvgPool2d.Index("paddings")), plan.Attribute<bool>(kAvgPool2d.Index("ceilMode"))};
  WindowsOf(plan.Tensor("self"), numbers, true, &pooling);
  loops::PoolWindows(plan, plan.Input("self"), plan.Output("out"), pooling);
}

void PlanMaxPool(exec::PlanBuilder& plan) {
  loops::Pooling pooling;
  const Numbers numbers = {plan.Ints(kMaxPool.Index("kernelShape")), plan.Ints(kMaxPool.Index("strides")),
                           plan.Ints(kMaxPool.Index("pads")), plan.Attribute<int64_t>(kMaxPool.Index("ceilMode")) != 0};
  WindowsOf(plan.Tensor("self"), numbers, false, &pooling);
  loops::PoolWindows(plan, plan.Input("self"), plan.Output("out"), pooling);
}

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnAvgPool2d, kAvgPool2d, PlanAvgPool2d,
                        (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
                         const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad,
                         const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out),
                        self, kernelSize, strides, paddings, ceilMode, countIncludePad, divisorOverride, cubeMathType,
                        out)
PORTACL_DEFINE_OPERATOR(aclnnMaxPool, kMaxPool, PlanMaxPool,
                        (const aclTensor* self, const aclIntArray* kernelShape, const aclIntArray* strides,
                         const int64_t autoPad, const aclIntArray* pads, const aclIntArray* dilations,
                         const int64_t ceilMode, aclTensor* out),
                        self, kernelShape, strides, autoPad, pads, dilations, ceilMode, out)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(AvgPool2d), PORTACL_BIND(MaxPool)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::pool2d
