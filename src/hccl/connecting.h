// SPDX-License-Identifier: Apache-2.0
// A connection between each two ranks of a communicator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"
#include "hccl/root_client.h"

namespace portacl::hccl {

/// All ranks call it. This one listens at an address of its own until the higher ranks have come. Each rank leaves its port
/// and a random key with the root, where only members see them, and a connection counts when both sides have shown the key
/// of the other. Sockets are by rank, -1 for this one, and the caller's. `purpose`: of these connections, in which each two
/// ranks agree.
HcclResult ConnectToAll(RootClient& root, const std::string& purpose, const std::string& address, uint32_t rank,
                        uint32_t ranks, std::vector<int>* sockets, std::string* why);

}  // namespace portacl::hccl
