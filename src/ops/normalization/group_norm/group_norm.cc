// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "base/target.h"
#include "families/norm.h"
#include "families/norm_backward_lanes.h"
#include "ops/normalization/group_norm/group_norm_lanes.h"
#include "ops/normalization/group_norm/group_norm_spec.h"

namespace portacl::ops::group_norm {
namespace {

// Each pair of sample and group is a row, whose first axis iterates over the channels of the group.
loops::reductions::NormShape ShapeOf(const View& self, int64_t groups) {
  loops::reductions::NormShape shape{.outer = 2, .inner = 0, .sizes = {self.shape[0], groups}};
  shape.Add(self.shape[1] / groups);
  for (int axis = 2; axis < self.rank; ++axis) shape.Add(self.shape[axis]);
  return shape;
}

loops::reductions::NormRows GroupsOf(const exec::PlanBuilder& plan, int argument, int64_t channels) {
  loops::reductions::NormRows rows{.operand = plan.Operand(argument)};
  const View& view = plan.Tensor(argument);
  rows.strides[0] = view.step(0);
  rows.strides[1] = view.step(1) * channels;
  for (int axis = 1; axis < view.rank; ++axis) rows.strides[axis + 1] = view.step(axis);
  return rows;
}

// gamma or beta, per channel or per element of a channel.
loops::reductions::NormRows ChannelsOf(const exec::PlanBuilder& plan, int argument, int64_t channels,
                                       bool has_segments) {
  loops::reductions::NormRows rows;
  if (!plan.Has(argument)) return rows;
  rows.operand = plan.Operand(argument);
  rows.by_segment = has_segments;
  rows.strides[1] = plan.Tensor(argument).step(0) * channels;
  rows.strides[2] = plan.Tensor(argument).step(0);
  return rows;
}

void PlanGroupNorm(exec::PlanBuilder& plan) {
  constexpr int kSelf = kGroupNorm.Index("self");
  constexpr int kGamma = kGroupNorm.Index("gamma");
  constexpr int kBeta = kGroupNorm.Index("beta");
  const View& self = plan.Tensor(kSelf);
  loops::reductions::NormOperands operands{
      .shape = ShapeOf(self, plan.Attribute<int64_t>(kGroupNorm.Index("group"))), .row_count = 4, .row_outputs = 1};
  const int64_t channels = operands.shape.sizes[2];
  operands.has_segments =
      (plan.Has(kGamma) || plan.Has(kBeta)) && plan.Attribute<int64_t>(kGroupNorm.Index("HxW")) != 1;
  operands.rows[0] = GroupsOf(plan, kSelf, channels);
  operands.rows[1] = ChannelsOf(plan, kGamma, channels, operands.has_segments);
  operands.rows[2] = ChannelsOf(plan, kBeta, channels, operands.has_segments);
  operands.rows[3] = GroupsOf(plan, kGroupNorm.Index("out"), channels);
  operands.statistics[0] = plan.Operand(kGroupNorm.Index("meanOut"));
  operands.statistics[1] = plan.Operand(kGroupNorm.Index("rstdOut"));
  families::KeepOldParameters(plan, operands);
  loops::reductions::Normalize(plan, operands,
                               {.run = GroupNormLanes(self.dtype, ActiveTarget()), .ns_per_element = 0.35},
                               GroupNormParameters{families::EpsOf(plan.Attribute<double>(kGroupNorm.Index("eps"))),
                                                   operands.has_segments ? channels : 0});
}

void PlanGroupNormBackward(exec::PlanBuilder& plan) {
  constexpr int kInput = kGroupNormBackward.Index("input");
  const View& input = plan.Tensor(kInput);
  loops::reductions::NormOperands operands{
      .shape = ShapeOf(input, plan.Attribute<int64_t>(kGroupNormBackward.Index("group"))),
      .row_count = 4,
      .row_outputs = 1,
      .has_segments = true};
  const int64_t channels = operands.shape.sizes[2];
  operands.rows[0] = GroupsOf(plan, kGroupNormBackward.Index("gradOut"), channels);
  operands.rows[1] = GroupsOf(plan, kInput, channels);
  operands.rows[2] = ChannelsOf(plan, kGroupNormBackward.Index("gamma"), channels, true);
  if (families::SelectedOperand(plan, 0) != loops::kNoOperand)
    operands.rows[3] = GroupsOf(plan, kGroupNormBackward.Index("gradInput"), channels);
  operands.statistics[0] = plan.Operand(kGroupNormBackward.Index("mean"));
  operands.statistics[1] = plan.Operand(kGroupNormBackward.Index("rstd"));
  operands.reads_statistics = true;
  for (int i = 0; i < loops::reductions::kMostNormSums; ++i) {
    operands.sums[i].operand = families::SelectedOperand(plan, i + 1);
    operands.sums[i].strides[1] = channels;
  }
  families::KeepOldParameters(plan, operands);
  loops::reductions::Normalize(
      plan, operands,
      {.run = families::NormBackwardLanes(input.dtype, input.dtype, ActiveTarget()), .ns_per_element = 0.7},
      families::NormBackwardParameters{.channels = channels, .is_centred = true});
}

}  // namespace

}  // namespace portacl::ops::group_norm

#include "ops/normalization/group_norm/group_norm_functions.inc"
