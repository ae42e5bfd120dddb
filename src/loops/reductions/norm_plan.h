// SPDX-License-Identifier: Apache-2.0
//
// The plan that phase 1 of the engine of normalisations leaves for the run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/reductions/normalize.h"
#include "loops/tiles/operands.h"
#include "loops/tiles/tile.h"

namespace portacl::loops::reductions {

inline constexpr int64_t kNormTileRows = 64;

// The elements of an operand in row-major order; axes are joined where strides allow it.
struct Numbered {
  int operand = kNoOperand;
  aclDataType dtype = ACL_DT_UNDEFINED;
  int rank = 0;
  int64_t bytes = 0;
  int64_t shape[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};  // in bytes

  int64_t OffsetOf(int64_t number) const {
    int64_t offset = 0;
    for (int axis = rank - 1; axis > 0; --axis) {
      offset += number % shape[axis] * strides[axis];
      number /= shape[axis];
    }
    return rank == 0 ? 0 : offset + number * strides[0];
  }
  int64_t Extent() const {
    int64_t extent = bytes;
    for (int axis = 0; axis < rank; ++axis) extent += (shape[axis] - 1) * strides[axis];
    return extent;
  }
};

struct PlannedRows {
  int operand = kNoOperand;
  bool is_written = false;
  bool is_dense = true;
  bool by_segment = false;
  int64_t bytes = 0;      // per element
  int64_t row_bytes = 0;  // per gathered row
  int64_t scratch = 0;    // offset of the gathered rows
  int64_t outer[kMostNormAxes] = {};
  int64_t inner[kMostNormAxes] = {};  // in bytes
};

struct PlannedSums {
  Numbered to = {};
  int64_t outer[kMostNormAxes] = {};  // in bytes of an array of doubles
  int64_t count = 0;
  int64_t first = 0;  // position among the sums of a chunk
};

struct NormPlan {
  LaneFunction run = nullptr;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t segments = 1;
  int outer_rank = 0;
  int inner_rank = 0;
  int64_t outer_shape[kMostNormAxes] = {};
  int64_t inner_shape[kMostNormAxes] = {};
  int row_count = 0;
  PlannedRows operand[kMostNormRows] = {};
  Numbered statistics[kMostStatistics] = {};
  bool reads_statistics = false;
  PlannedSums sums[kMostNormSums] = {};
  int64_t sum_count = 0;  // per chunk
  int64_t tile_rows = kNormTileRows;
  int64_t chunk_rows = 1;
  int64_t chunks = 1;
  int64_t kernel_scratch = 0;
  int64_t scratch_bytes = 0;
  bool is_serial = false;
  bool non_temporal = false;
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
};

/// Runs a NormPlan.
int32_t RunNormalize(const exec::RunContext& context);

}  // namespace portacl::loops::reductions
