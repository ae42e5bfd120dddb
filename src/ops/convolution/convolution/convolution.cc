// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_convolution.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "families/define.h"
#include "ops/convolution/convolution/convolution_spec.h"

namespace portacl::ops::convolution {
namespace {

void PlanConvolution(exec::PlanBuilder& plan) {
  const bool transposed = plan.Attribute<bool>(kConvolution.Index("transposed"));
  const auto ints = [&](const char* name) { return plan.Ints(kConvolution.Find(name)); };
  const Numbers numbers = {.stride = ints("stride"),
                           .padding = ints("padding"),
                           .dilation = ints("dilation"),
                           .output_padding = transposed ? ints("outputPadding") : std::span<const int64_t>(),
                           .transposed = transposed,
                           .groups = plan.Attribute<int64_t>(kConvolution.Index("groups"))};
  loops::Convolution convolution;
  ConvolutionOf(plan.Tensor("input"), plan.Tensor("weight"), numbers, &convolution);
  loops::Convolve(plan, plan.Input("input"), plan.Input("weight"), plan.Has("bias") ? plan.Input("bias") : -1,
                  plan.Output("output"), convolution);
}

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnConvolution, kConvolution, PlanConvolution,
                        (const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
                         const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
                         bool transposed, const aclIntArray* outputPadding, const int64_t groups, aclTensor* output,
                         int8_t cubeMathType),
                        input, weight, bias, stride, padding, dilation, transposed, outputPadding, groups, output,
                        cubeMathType)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Convolution)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::convolution
