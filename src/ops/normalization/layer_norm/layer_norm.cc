// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "base/target.h"
#include "families/norm.h"
#include "families/norm_backward_lanes.h"
#include "ops/normalization/layer_norm/layer_norm_lanes.h"
#include "ops/normalization/layer_norm/layer_norm_spec.h"

namespace portacl::ops::layer_norm {
namespace {

void PlanLayerNorm(exec::PlanBuilder& plan) {
  constexpr int kInput = kLayerNorm.Index("input");
  constexpr int kWeight = kLayerNorm.Index("weightOptional");
  constexpr int kBias = kLayerNorm.Index("biasOptional");
  const View& input = plan.Tensor(kInput);
  const int axes = static_cast<int>(plan.Ints(kLayerNorm.Index("normalizedShape")).size());
  loops::reductions::NormOperands operands{
      .shape = families::NormShapeOf(input, axes), .row_count = 4, .row_outputs = 1};
  operands.rows[0] = families::RowsOf(plan, kInput);
  operands.rows[1] = families::RepeatedRowsOf(plan, kWeight, operands.shape);
  operands.rows[2] = families::RepeatedRowsOf(plan, kBias, operands.shape);
  operands.rows[3] = families::RowsOf(plan, kLayerNorm.Index("out"));
  operands.statistics[0] = families::OperandOf(plan, kLayerNorm.Index("meanOutOptional"));
  operands.statistics[1] = families::OperandOf(plan, kLayerNorm.Index("rstdOutOptional"));
  aclDataType parameters = input.dtype;
  for (const int argument : {kWeight, kBias}) {
    if (plan.Has(argument)) parameters = plan.Tensor(argument).dtype;
  }
  families::KeepOldParameters(plan, operands);
  loops::reductions::Normalize(plan, operands,
                               {.run = LayerNormLanes(input.dtype, parameters, ActiveTarget()), .ns_per_element = 0.35},
                               LayerNormParameters{families::EpsOf(plan.Attribute<double>(kLayerNorm.Index("eps")))});
}

void PlanLayerNormBackward(exec::PlanBuilder& plan) {
  constexpr int kInput = kLayerNormBackward.Index("input");
  constexpr int kWeight = kLayerNormBackward.Index("weightOptional");
  const View& input = plan.Tensor(kInput);
  const int axes = static_cast<int>(plan.Ints(kLayerNormBackward.Index("normalizedShape")).size());
  loops::reductions::NormOperands operands{
      .shape = families::NormShapeOf(input, axes), .row_count = 4, .row_outputs = 1};
  operands.rows[0] = families::RowsOf(plan, kLayerNormBackward.Index("gradOut"));
  operands.rows[1] = families::RowsOf(plan, kInput);
  operands.rows[2] = families::RepeatedRowsOf(plan, kWeight, operands.shape);
  if (families::SelectedOperand(plan, 0) != loops::kNoOperand)
    operands.rows[3] = families::RowsOf(plan, kLayerNormBackward.Index("gradInputOut"));
  operands.statistics[0] = plan.Operand(kLayerNormBackward.Index("mean"));
  operands.statistics[1] = plan.Operand(kLayerNormBackward.Index("rstd"));
  operands.reads_statistics = true;
  operands.sums[0].operand = families::SelectedOperand(plan, 1);
  operands.sums[1].operand = families::SelectedOperand(plan, 2);
  families::KeepOldParameters(plan, operands);
  const aclDataType weight = plan.Has(kWeight) ? plan.Tensor(kWeight).dtype : input.dtype;
  loops::reductions::Normalize(
      plan, operands, {.run = families::NormBackwardLanes(input.dtype, weight, ActiveTarget()), .ns_per_element = 0.7},
      families::NormBackwardParameters{.channels = 0, .is_centred = true});
}

constexpr exec::PlanFunction PlanLayerNormWithImplMode = PlanLayerNorm;

}  // namespace

}  // namespace portacl::ops::layer_norm

#include "ops/normalization/layer_norm/layer_norm_functions.inc"
