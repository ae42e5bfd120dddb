// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "base/target.h"
#include "families/norm.h"
#include "families/norm_backward_lanes.h"
#include "ops/normalization/rms_norm/rms_norm_lanes.h"
#include "ops/normalization/rms_norm/rms_norm_spec.h"

namespace portacl::ops::rms_norm {
namespace {

RmsNormParameters ParametersOf(const exec::PlanBuilder& plan) {
  return {families::EpsOf(plan.Attribute<double>("epsilon"))};
}

// The rows of the first tensor, and gamma for each of them.
loops::reductions::NormShape ShapeOf(const exec::PlanBuilder& plan, int gamma) {
  const View& x = plan.Tensor(0);
  return families::NormShapeOf(x, NormalizedAxes(x, plan.Tensor(gamma)));
}

void PlanRmsNorm(exec::PlanBuilder& plan) {
  constexpr int kX = kRmsNorm.Index("x");
  constexpr int kGamma = kRmsNorm.Index("gamma");
  loops::reductions::NormOperands operands{.shape = ShapeOf(plan, kGamma), .row_count = 3, .row_outputs = 1};
  operands.rows[0] = families::RowsOf(plan, kX);
  operands.rows[1] = families::RepeatedRowsOf(plan, kGamma, operands.shape);
  operands.rows[2] = families::RowsOf(plan, kRmsNorm.Index("yOut"));
  operands.statistics[0] = families::OperandOf(plan, kRmsNorm.Index("rstdOut"));
  families::KeepOldParameters(plan, operands);
  loops::reductions::Normalize(
      plan, operands,
      {.run = RmsNormLanes(plan.Tensor(kX).dtype, plan.Tensor(kGamma).dtype, ActiveTarget()), .ns_per_element = 0.25},
      ParametersOf(plan));
}

void PlanAddRmsNorm(exec::PlanBuilder& plan) {
  constexpr int kX1 = kAddRmsNorm.Index("x1");
  constexpr int kGamma = kAddRmsNorm.Index("gamma");
  loops::reductions::NormOperands operands{.shape = ShapeOf(plan, kGamma), .row_count = 5, .row_outputs = 2};
  operands.rows[0] = families::RowsOf(plan, kX1);
  operands.rows[1] = families::RowsOf(plan, kAddRmsNorm.Index("x2"));
  operands.rows[2] = families::RepeatedRowsOf(plan, kGamma, operands.shape);
  // In the order in which they are written: an output that is both holds yOut.
  operands.rows[3] = families::RowsOf(plan, kAddRmsNorm.Index("xOut"));
  operands.rows[4] = families::RowsOf(plan, kAddRmsNorm.Index("yOut"));
  operands.statistics[0] = families::OperandOf(plan, kAddRmsNorm.Index("rstdOut"));
  int64_t columns = 0;
  CountElements(plan.Tensor(kGamma).dims(), &columns);
  families::KeepOldParameters(plan, operands);
  plan.ForbidInPlace(plan.Operand(kGamma));  // when xOut is written, also if there is only one row
  loops::reductions::Normalize(plan, operands,
                               {.run = AddRmsNormLanes(plan.Tensor(kX1).dtype, ActiveTarget()),
                                .ns_per_element = 0.35,
                                .scratch_bytes = SumBytes(columns)},
                               ParametersOf(plan));
}

void PlanRmsNormGrad(exec::PlanBuilder& plan) {
  constexpr int kX = kRmsNormGrad.Index("x");
  constexpr int kGamma = kRmsNormGrad.Index("gamma");
  loops::reductions::NormOperands operands{.shape = ShapeOf(plan, kGamma), .row_count = 4, .row_outputs = 1};
  operands.rows[0] = families::RowsOf(plan, kRmsNormGrad.Index("dy"));
  operands.rows[1] = families::RowsOf(plan, kX);
  operands.rows[2] = families::RepeatedRowsOf(plan, kGamma, operands.shape);
  operands.rows[3] = families::RowsOf(plan, kRmsNormGrad.Index("dxOut"));
  operands.statistics[1] = plan.Operand(kRmsNormGrad.Index("rstd"));
  operands.reads_statistics = true;
  operands.sums[0].operand = plan.Operand(kRmsNormGrad.Index("dgammaOut"));
  families::KeepOldParameters(plan, operands);
  loops::reductions::Normalize(
      plan, operands,
      {.run = families::NormBackwardLanes(plan.Tensor(kX).dtype, plan.Tensor(kGamma).dtype, ActiveTarget()),
       .ns_per_element = 0.6},
      families::NormBackwardParameters{.channels = 0, .is_centred = false});
}

}  // namespace

}  // namespace portacl::ops::rms_norm

#include "ops/normalization/rms_norm/rms_norm_functions.inc"
