// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <span>

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
  loops::convolutions::Convolution convolution;
  ConvolutionOf(plan.Tensor("input"), plan.Tensor("weight"), numbers, &convolution);
  loops::convolutions::Convolve(plan, plan.Input("input"), plan.Input("weight"),
                                plan.Has("bias") ? plan.Input("bias") : -1, plan.Output("output"), convolution);
}

}  // namespace

}  // namespace portacl::ops::convolution

#include "ops/convolution/convolution/convolution_functions.inc"
