// SPDX-License-Identifier: Apache-2.0
//
// Tests indices and narrows them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::loops::moves {

/// Stores `n` contiguous indices as 32 bits. Returns false, with any results, if one is negative or not less than
/// `limit`, which has 31 bits.
using PlacesFunction = bool (*)(const std::byte* indices, int64_t n, int64_t limit, uint32_t* places);

/// The function for INT32 or INT64.
PlacesFunction PlaceLanes(bool is_wide, int64_t target);

/// Indices that are narrowed at once.
inline constexpr int64_t kPlacesAtOnce = 256;
inline constexpr int64_t kMostPlaces = int64_t{1} << 31;

}  // namespace portacl::loops::moves
