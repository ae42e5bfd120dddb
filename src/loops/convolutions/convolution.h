// SPDX-License-Identifier: Apache-2.0
//
// The engine of convolutions along up to three axes, plain and transposed.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::convolutions {

inline constexpr int kConvolvedAxes = 3;

/// One of the axes along which the weights move; one that a tensor lacks has the sizes 1.
struct ConvolvedAxis {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t output = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding in front; of a transposed convolution, results that are left out there
};

struct Convolution {
  int axes = kConvolvedAxes;  // how many the tensors have, the last ones
  ConvolvedAxis axis[kConvolvedAxes];
  bool transposed = false;
  int64_t groups = 1;
};

inline namespace v1 {

/// Plans output = the convolution of input [N, C, ...] with weight and, unless it is -1, bias (numbers of
/// PlanBuilder::Operand). Any strides; FLOAT, FLOAT16 and BFLOAT16 each. Sums are those of float32 over blocks of
/// terms, added in float32, and over many terms in float64; which terms make a block depends on shapes alone.
PORTACL_EXPORT void Convolve(exec::PlanBuilder& plan, int input, int weight, int bias, int output,
                             const Convolution& convolution);

}  // namespace v1
}  // namespace portacl::loops::convolutions
