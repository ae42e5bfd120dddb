// SPDX-License-Identifier: Apache-2.0
// The transport between ranks that are threads of one process: the receiver copies from the sender's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hccl/transport.h"

namespace portacl::hccl {

/// The connections of all ranks of a communicator.
std::vector<std::unique_ptr<Transport>> ConnectInProcess(uint32_t ranks);

}  // namespace portacl::hccl
