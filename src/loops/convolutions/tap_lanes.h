// SPDX-License-Identifier: Apache-2.0
//
// Convolution of a single channel: weighted sums of rows.
#pragma once

#include <cstdint>

namespace portacl::loops::convolutions {

/// results[i] = the sum of weights[t] * taps[t][i] over `count` taps in their order, and then of the bias, for n results.
/// Sums are float32 or, with many taps, float64, rounded before the bias is added.
using SumTaps = void (*)(const float* const* taps, const float* weights, int64_t count, float bias, float* results,
                         int64_t n);

SumTaps SumTapsOf(int64_t target);

/// to[row][i] = from[row][step * i], for `count` elements of each row; strides are in elements. Accesses no others.
using TakeRows = void (*)(const float* from, int64_t from_stride, int64_t step, int64_t rows, int64_t count, float* to,
                          int64_t to_stride);

TakeRows TakeRowsOf(int64_t target);

}  // namespace portacl::loops::convolutions
