// SPDX-License-Identifier: Apache-2.0
//
// The plan that phase 1 of a reduction along axes leaves for its run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/plan.h"
#include "loops/elements/conversion.h"
#include "loops/reductions/reduce_axes.h"
#include "tensor/view.h"

namespace portacl::loops::reductions {

// States, and elements, that a thread handles at a time; half as many if they have 16 bytes.
inline constexpr int64_t kReduceBufferElements = 1024;
inline constexpr int64_t kReduceBufferBytes = 8 * kReduceBufferElements;

// An axis of the call.
struct ReduceAxis {
  int64_t size = 1;
  int64_t in = 0;  // in bytes
  int64_t out[kMaxPlanes] = {};
};

struct ReducePlan {
  Reducer reducer;
  const Conversion* cast = nullptr;  // null: nothing to do
  const Conversion* convert = nullptr;
  const Conversion* store[kMaxPlanes] = {};
  int self = 0;
  int outputs = 0;
  int output[kMaxPlanes] = {};
  int64_t in_bytes = 0;
  int64_t prefetch_bytes = 0;
  int64_t buffer_elements = kReduceBufferElements;
  int64_t out_bytes[kMaxPlanes] = {};

  bool by_rows = false;  // the innermost axis is a reduced one
  bool serial = false;   // elements of an output share bytes
  int kept_axes = 0;     // in addition to `kept`
  int reduced_axes = 0;
  ReduceAxis kept;  // the two axes of a tile
  ReduceAxis reduced;
  ReduceAxis other_kept[kMaxRank];
  ReduceAxis other_reduced[kMaxRank];

  int64_t count = 0;           // elements per state
  int64_t block = 0;           // states per block
  int64_t blocks_of_axis = 0;  // blocks along `kept`
  int64_t blocks = 0;
  int64_t slab = 0;  // elements along `reduced` per tile
  int64_t slabs_of_axis = 0;
  int64_t slabs = 0;
  int64_t slabs_per_piece = 0;
  int64_t pieces = 1;
  int64_t items_per_chunk = 1;
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};

  bool Converts() const { return cast != nullptr || convert != nullptr; }
  int64_t StateBytes() const {
    int64_t bytes = 0;
    for (int i = 0; i < reducer.planes; ++i) bytes += reducer.plane_bytes[i];
    return bytes;
  }
};

int32_t RunReduceAxes(const exec::RunContext& context);

}  // namespace portacl::loops::reductions
