// SPDX-License-Identifier: Apache-2.0
// Which ranks of a new communicator are on this host, and how they share memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hccl/memory_link.h"
#include "hccl/root_client.h"

namespace portacl::hccl {

struct NearRanks {
  std::vector<char> is_near;         // by rank; this one is not
  std::shared_ptr<MemoryLink> link;  // null: none is
  bool all = false;                  // others are
  uint32_t most_here = 0;            // ranks of this host, this one, too, as far as is known
};

/// All ranks call it. Those of a host share memory if each of them can; a null link is no error. False: a rank has ended, or
/// the deadline has passed.
bool MeetNearRanks(RootClient& root, uint32_t rank, uint32_t ranks, NearRanks* near);

}  // namespace portacl::hccl
