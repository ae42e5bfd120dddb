// SPDX-License-Identifier: Apache-2.0
// Finds the ranks of a new communicator that are on this host, and shares memory with them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hccl/memory_link.h"
#include "hccl/root_client.h"

namespace portacl::hccl {

struct NearRanks {
  std::vector<char> is_near;         // by rank; 0 for this rank
  std::shared_ptr<MemoryLink> link;  // null: no rank is near
  bool all = false;                  // all other ranks are near
  uint32_t most_here = 0;            // an upper bound for the number of ranks on this host, including this one
};

/// All ranks call this function. The ranks of a host share memory if each of them can; a null link is no error. Returns
/// false when a rank has ended, or when the deadline has passed.
bool MeetNearRanks(RootClient& root, uint32_t rank, uint32_t ranks, NearRanks* near);

}  // namespace portacl::hccl
