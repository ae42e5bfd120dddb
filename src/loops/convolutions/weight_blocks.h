// SPDX-License-Identifier: Apache-2.0
//
// The weights of a convolution of bfloat16 in blocks, see products/bfloat16_blocks.h.
#pragma once

#include <cstdint>

#include "loops/convolutions/convolution_plan.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::convolutions {

/// The most terms that a result of any phase has.
int64_t MostTerms(const ConvolutionPlan& plan);

/// Weights as [phase][group][group of columns], see products::kGroup. Columns are outputs; their terms are ordered by
/// tap, then by input.
class WeightBlocks {
 public:
  /// Packs in parallel; throws std::bad_alloc.
  explicit WeightBlocks(const ConvolutionTask& task);

  /// The number of a group of columns.
  int64_t Number(int64_t phase, int64_t group, int64_t columns) const {
    return (phase * groups_ + group) * column_groups_ + columns;
  }
  const uint16_t* blocks(int64_t number) const { return blocks_.As<uint16_t>() + number * stride_; }
  int64_t stride() const { return stride_; }
  /// As products::BlockTarget has them.
  const uint16_t* min_magnitudes(int64_t number) const { return min_magnitudes_.As<uint16_t>() + number; }

 private:
  int64_t groups_, column_groups_, count_, stride_;
  PoolMemory blocks_, min_magnitudes_;
};

/// Multiplies a group of rows and a group of columns in float32, which keeps subnormal values. Strides are in elements.
void MultiplyGroups(const ConvolutionPlan& plan, const uint16_t* rows, int64_t row_stride, const uint16_t* columns,
                    int64_t depth, float* out, int64_t out_stride);

}  // namespace portacl::loops::convolutions
