// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "ops/pooling/pool2d/pool2d_spec.h"

namespace portacl::ops::pool2d {
namespace {

void PlanAvgPool2d(exec::PlanBuilder& plan) {
  loops::windows::Pooling pooling{.divisor = plan.Attribute<int64_t>(kAvgPool2d.Index("divisorOverride")),
                                  .counts_padding = plan.Attribute<bool>(kAvgPool2d.Index("countIncludePad"))};
  const Numbers numbers = {plan.Ints(kAvgPool2d.Index("kernelSize")), plan.Ints(kAvgPool2d.Index("strides")),
                           plan.Ints(kAvgPool2d.Index("paddings")), plan.Attribute<bool>(kAvgPool2d.Index("ceilMode"))};
  WindowsOf(plan.Tensor("self"), numbers, true, &pooling);
  loops::windows::PoolWindows(plan, plan.Input("self"), plan.Output("out"), pooling);
}

void PlanMaxPool(exec::PlanBuilder& plan) {
  loops::windows::Pooling pooling;
  const Numbers numbers = {plan.Ints(kMaxPool.Index("kernelShape")), plan.Ints(kMaxPool.Index("strides")),
                           plan.Ints(kMaxPool.Index("pads")), plan.Attribute<int64_t>(kMaxPool.Index("ceilMode")) != 0};
  WindowsOf(plan.Tensor("self"), numbers, false, &pooling);
  loops::windows::PoolWindows(plan, plan.Input("self"), plan.Output("out"), pooling);
}

}  // namespace

}  // namespace portacl::ops::pool2d

#include "ops/pooling/pool2d/pool2d_functions.inc"
