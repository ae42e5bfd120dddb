// SPDX-License-Identifier: Apache-2.0
// A connection for each pair of ranks of a communicator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"
#include "hccl/root_client.h"

namespace portacl::hccl {

/// All ranks call this function. This rank listens at an address of its own until the higher ranks have connected. Each
/// rank stores its port and a random key at the root, where only members see them; a connection is valid when both
/// sides have shown the key of the other. `sockets`: indexed by rank, -1 for this one; the caller owns them. `purpose`:
/// the name of these connections; it must be the same on all ranks.
HcclResult ConnectToAll(RootClient& root, const std::string& purpose, const std::string& address, uint32_t rank,
                        uint32_t ranks, std::vector<int>* sockets, std::string* why);

}  // namespace portacl::hccl
