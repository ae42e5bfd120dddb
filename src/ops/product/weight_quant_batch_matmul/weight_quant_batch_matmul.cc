// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <optional>

#include "loops/quantized/quantized_product.h"
#include "ops/product/weight_quant_batch_matmul/weight_quant_batch_matmul_spec.h"

namespace portacl::ops::weight_quant_batch_matmul {
namespace {

// Scales or offsets as a matrix of groups and columns.
loops::OperandPart GroupsOf(const exec::PlanBuilder& plan, const char* name, int64_t n) {
  const int number = plan.Input(name);
  const View& whole = plan.OperandView(number);
  View view = whole;
  view.rank = 2;
  const int last = whole.rank - 1;
  view.shape[0] = whole.rank == 2 ? whole.shape[0] : 1;
  view.strides[0] = whole.rank == 2 ? whole.step(0) : 0;
  view.shape[1] = n;
  view.strides[1] = whole.step(last);  // 0 if there is only one group
  return {number, view};
}

void PlanWeightQuantBatchMatmulV2(exec::PlanBuilder& plan) {
  const View& weight = plan.Tensor("weight");
  const int64_t k = weight.shape[0], n = weight.shape[1];
  const int64_t group = plan.Attribute<int32_t>("antiquantGroupSize");
  loops::quantized::QuantizedFactors factors{
      .x = plan.Input("x"),
      .weight = plan.Input("weight"),
      .scale = GroupsOf(plan, "antiquantScale", n),
      .out = plan.Output("y"),
      .group = group != 0 ? group
                          : (std::max<int64_t>(k, 1) + loops::quantized::kQuantizedStep - 1) /
                                loops::quantized::kQuantizedStep * loops::quantized::kQuantizedStep};
  if (plan.Has("antiquantOffsetOptional")) factors.offset = GroupsOf(plan, "antiquantOffsetOptional", n);
  if (plan.Has("biasOptional")) factors.bias = plan.Input("biasOptional");
  loops::quantized::QuantizedProduct(plan, factors);
}

}  // namespace

}  // namespace portacl::ops::weight_quant_batch_matmul

#include "ops/product/weight_quant_batch_matmul/weight_quant_batch_matmul_functions.inc"
