// SPDX-License-Identifier: Apache-2.0
#include "families/loss.h"

#include <algorithm>

#include "loops/reductions/sum_all.h"
#include "loops/tiles/elementwise.h"

namespace portacl::families {
namespace {

constexpr double kNsPerElement = 0.15;

}  // namespace

aclDataType CommonFloat(const exec::PlanBuilder& plan, std::initializer_list<int> operands) {
  const aclDataType dtype = plan.OperandView(*operands.begin()).dtype;
  const bool is_same =
      std::ranges::all_of(operands, [&](int operand) { return plan.OperandView(operand).dtype == dtype; });
  return is_same ? dtype : ACL_FLOAT;
}

void PlanLoss(exec::PlanBuilder& plan, FindLossLanes find) {
  const int self = plan.Input("self"), target = plan.Input("target"), out = plan.Output("out");
  const auto reduction = plan.Attribute<int64_t>("reduction");
  const aclDataType inputs = CommonFloat(plan, {self, target});
  const bool is_whole = inputs == ACL_INT64;
  if (reduction == kNoReduction) {
    const aclDataType dtype = is_whole ? inputs : CommonFloat(plan, {self, target, out});
    loops::Elementwise(plan, {self, target, out},
                       {.run = find(dtype).each,
                        .ns_per_element = kNsPerElement,
                        .repeated = is_whole ? 0 : kLossRepeated,
                        .dtype = dtype});
    return;
  }
  loops::reductions::Sum(plan, {self, target}, out,
                         {.run = find(inputs).sum,
                          .ns_per_element = kNsPerElement,
                          .repeated = is_whole ? 0 : kLossRepeated,
                          .dtype = inputs,
                          .mean = reduction == kMeanReduction,
                          .whole = is_whole});
}

void PlanLossGradient(exec::PlanBuilder& plan, loops::LaneFunction (*find)(aclDataType dtype), double factor,
                      const View& elements) {
  const int grad = plan.Operand(0), self = plan.Operand(1), target = plan.Operand(2), out = plan.Operand(4);
  if (plan.Attribute<int64_t>("reduction") == kMeanReduction) {
    for (const int64_t size : elements.dims()) factor /= static_cast<double>(size);
  }
  const aclDataType dtype = CommonFloat(plan, {grad, self, target, out});
  loops::Elementwise(
      plan, {grad, self, target, out},
      {.run = find(dtype), .ns_per_element = kNsPerElement, .repeated = kLossGradientRepeated, .dtype = dtype},
      LossGradientParameters{static_cast<float>(factor)});
}

}  // namespace portacl::families
