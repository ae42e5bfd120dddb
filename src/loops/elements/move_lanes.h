// SPDX-License-Identifier: Apache-2.0
//
// Rows of elements that are moved as they are: with non-temporal stores, repeated, reversed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops {

/// `n` bytes or elements, at any address. The two do not overlap.
using MoveFunction = void (*)(const std::byte* from, std::byte* to, int64_t n);

/// Moves bytes with non-temporal stores; the caller calls hwy::FlushStream() before others read.
MoveFunction StreamLanes(int64_t target);

/// Repeats the 16 bytes at `from`, which are aligned, over bytes.
MoveFunction FillLanes(int64_t target);

/// Moves `n` elements of `element_bytes` in reverse: the first that is stored is the one at `from`, those that follow lie
/// before it. Null where elements are of another size than 1, 2, 4 or 8 bytes.
MoveFunction ReverseLanes(int64_t element_bytes, int64_t target);

}  // namespace portacl::loops
