// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_layer_norm.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "families/norm.h"
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
    if (!plan.Has(argument)) continue;
    parameters = plan.Tensor(argument).dtype;
    plan.ReadsLate(plan.Operand(argument));
  }
  loops::Normalize(plan, operands,
                   {.run = LayerNormLanes(input.dtype, parameters, ActiveTarget()), .ns_per_element = 0.35},
                   LayerNormParameters{families::EpsOf(plan.Attribute<double>(kLayerNorm.Index("eps")))});
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnLayerNormGetWorkspaceSize, &aclnnLayerNorm>(kLayerNorm),
    exec::Bind<&aclnnLayerNormWithImplModeGetWorkspaceSize, &aclnnLayerNormWithImplMode>(kLayerNormWithImplMode),
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
