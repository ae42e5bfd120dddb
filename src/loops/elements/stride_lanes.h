// SPDX-License-Identifier: Apache-2.0
//
// Copies elements between contiguous memory and memory in which they are a few elements apart.
#pragma once

#include <cstdint>

#include "loops/elements/move_lanes.h"

namespace portacl::loops {

inline constexpr int64_t kMostLaneStride = 4;

/// Copies elements that are `stride` elements apart to contiguous memory, and reads nothing beyond the last of them.
/// Null unless `stride` is 2 to 4, and elements are of 1, 2, 4 or 8 bytes, and for targets below SSE4.
MoveFunction GatherLanes(int64_t element_bytes, int64_t stride, int64_t target);

/// Copies contiguous elements to places that are `stride` elements apart, and writes nothing between them. Null unless
/// `stride` is 2 to 4, elements are of 2, 4 or 8 bytes, and the target is AVX-512: without its masked stores, it is
/// fastest to store single elements.
MoveFunction ScatterLanes(int64_t element_bytes, int64_t stride, int64_t target);

}  // namespace portacl::loops
