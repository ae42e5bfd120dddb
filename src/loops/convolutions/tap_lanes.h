// SPDX-License-Identifier: Apache-2.0
//
// Convolution of one channel: sums of rows times weights.
#pragma once

#include <cstdint>

namespace portacl::loops::convolutions {

/// results[i] = the sum of weights[t] * taps[t][i], `count` taps in their order; n results. In float32, or, where
/// there are many taps, in float64.
using SumTaps = void (*)(const float* const* taps, const float* weights, int64_t count, float* results, int64_t n);

SumTaps SumTapsOf(int64_t target);

/// to[row][i] = from[row][step * i], `count` elements of each row; strides in elements. Touches no others.
using TakeRows = void (*)(const float* from, int64_t from_stride, int64_t step, int64_t rows, int64_t count, float* to,
                          int64_t to_stride);

TakeRows TakeRowsOf(int64_t target);

}  // namespace portacl::loops::convolutions
