// SPDX-License-Identifier: Apache-2.0
//
// The functions of any float32, as plain functions, one set per instruction set, for their tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::simd {

/// Each applies its function to one register: float_lanes elements.
struct RealFunctions {
  using Function = void (*)(const float* from, float* to);

  size_t float_lanes;
  Function exp, expm1;
  Function log, log1p;
  Function sigmoid, silu, silu_slope;
  Function softplus;
  Function square_root;
  Function tanh, erf, erfc;
  Function gelu, gelu_slope, gelu_of_tanh, gelu_of_tanh_slope;
  Function sin, cos, tan, tan_of_narrow;
  Function sinc, sinc_of_narrow;
  Function sinh, cosh, atanh;
  Function asin, acos, atan;
  Function log2, log10;

  using OfTwo = void (*)(const float* x, const float* y, float* to);
  OfTwo pow, atan2, atan2_of_narrow;
  OfTwo log_add_exp, log_add_exp2;
};

RealFunctions RealFunctionsFor(int64_t target);

}  // namespace portacl::simd
