// SPDX-License-Identifier: Apache-2.0
// How a rank joins a communicator of several processes: it registers at the server of the root, and the ranks connect.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hccl/hccl_types.h"
#include "hccl/root_server.h"
#include "hccl/transport.h"
#include "hccl/wire.h"

namespace portacl::hccl {

/// Waits until all ranks have registered at the server of the root, and connects this one with them. Results as for
/// JoinRoot.
HcclResult ConnectThroughRoot(const RootAddress& root, const Key& key, uint32_t ranks, uint32_t rank, Deadline deadline,
                              std::unique_ptr<Transport>* transport, std::string* why);

}  // namespace portacl::hccl
