// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
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
  loops::NormOperands operands{.shape = families::NormShapeOf(input, axes), .row_count = 4, .row_outputs = 1};
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
  families::ReadParametersLate(plan, operands);
  loops::Normalize(plan, operands,
                   {.run = LayerNormLanes(input.dtype, parameters, ActiveTarget()), .ns_per_element = 0.35},
                   LayerNormParameters{families::EpsOf(plan.Attribute<double>(kLayerNorm.Index("eps")))});
}

void PlanLayerNormBackward(exec::PlanBuilder& plan) {
  constexpr int kInput = kLayerNormBackward.Index("input");
  constexpr int kWeight = kLayerNormBackward.Index("weightOptional");
  const View& input = plan.Tensor(kInput);
  const int axes = static_cast<int>(plan.Ints(kLayerNormBackward.Index("normalizedShape")).size());
  loops::NormOperands operands{.shape = families::NormShapeOf(input, axes), .row_count = 4, .row_outputs = 1};
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
  families::ReadParametersLate(plan, operands);
  const aclDataType weight = plan.Has(kWeight) ? plan.Tensor(kWeight).dtype : input.dtype;
  loops::Normalize(plan, operands,
                   {.run = families::NormBackwardLanes(input.dtype, weight, ActiveTarget()), .ns_per_element = 0.7},
                   families::NormBackwardParameters{.channels = 0, .is_centred = true});
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnLayerNormGetWorkspaceSize, &aclnnLayerNorm>(kLayerNorm),
    exec::Bind<&aclnnLayerNormWithImplModeGetWorkspaceSize, &aclnnLayerNormWithImplMode>(kLayerNormWithImplMode),
    exec::Bind<&aclnnLayerNormBackwardGetWorkspaceSize, &aclnnLayerNormBackward>(kLayerNormBackward),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::layer_norm

using namespace portacl::ops::layer_norm;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnLayerNorm, kLayerNorm, PlanLayerNorm,
                        (const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
                         const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
                         aclTensor* rstdOutOptional),
                        input, normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional,
                        rstdOutOptional)
PORTACL_DEFINE_OPERATOR(aclnnLayerNormWithImplMode, kLayerNormWithImplMode, PlanLayerNorm,
                        (const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
                         const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
                         aclTensor* rstdOutOptional, int32_t implMode),
                        input, normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional,
                        rstdOutOptional, implMode)
PORTACL_DEFINE_OPERATOR(aclnnLayerNormBackward, kLayerNormBackward, PlanLayerNormBackward,
                        (const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
                         const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
                         const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
                         aclTensor* gradWeightOut, aclTensor* gradBiasOut),
                        gradOut, input, normalizedShape, mean, rstd, weightOptional, biasOptional, outputMask,
                        gradInputOut, gradWeightOut, gradBiasOut)
