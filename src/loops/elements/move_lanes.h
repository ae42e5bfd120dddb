// SPDX-License-Identifier: Apache-2.0
//
// Moves rows of elements unchanged: with non-temporal stores, repeated, reversed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops {

/// Moves `n` bytes or elements, at any address. Source and target do not overlap.
using MoveFunction = void (*)(const std::byte* from, std::byte* to, int64_t n);

/// Moves bytes with non-temporal stores; the caller calls hwy::FlushStream() before others read.
MoveFunction StreamLanes(int64_t target);

/// Repeats the 16 bytes at `from`, which is aligned to 16 bytes, over the target.
MoveFunction FillLanes(int64_t target);

/// Moves `n` elements of `element_bytes` in reverse: the first one stored is at `from`, the following ones lie before
/// it. Null unless elements are of 1, 2, 4 or 8 bytes.
MoveFunction ReverseLanes(int64_t element_bytes, int64_t target);

}  // namespace portacl::loops
