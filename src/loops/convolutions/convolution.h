// SPDX-License-Identifier: Apache-2.0
//
// The engine for convolutions along up to three axes, plain and transposed.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::convolutions {

inline constexpr int kConvolvedAxes = 3;

/// One of the axes along which the kernel moves. A missing axis has size 1 everywhere.
struct ConvolvedAxis {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t output = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding in front; for a transposed convolution, the results that are dropped there
};

struct Convolution {
  int axes = kConvolvedAxes;  // number of axes that the tensors have, the last ones of `axis`
  ConvolvedAxis axis[kConvolvedAxes];
  bool transposed = false;
  int64_t groups = 1;
};

inline namespace v1 {

/// Plans output = the convolution of input [N, C, ...] with weight and, unless it is -1, bias (numbers of
/// PlanBuilder::Operand). Any strides; each is FLOAT, FLOAT16 or BFLOAT16. Terms are summed in float32 within blocks,
/// the sums of blocks in float32 too, and those of spans of many terms in float64. Which terms make a block depends on
/// shapes alone. Where the kernel has one element, the convolution is a product of matrices (matmul.h), except for few
/// outputs or pixels. Where all are BFLOAT16, they are multiplied by the instructions that products use for them
/// (bfloat16_unit.h), except for few neighbouring elements and outputs.
PORTACL_EXPORT void Convolve(exec::PlanBuilder& plan, int input, int weight, int bias, int output,
                             const Convolution& convolution);

}  // namespace v1
}  // namespace portacl::loops::convolutions
