// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process: the receiver copies from the sender's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl_types.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// The connections of all ranks of a communicator.
std::vector<std::unique_ptr<Transport>> ConnectInProcess(uint32_t ranks);

/// Makes a root info, which this process remembers. HCCL_SUCCESS or HCCL_E_SYSCALL.
HcclResult OfferRoot(HcclRootInfo* root);

/// Waits until all ranks of the root info have come. HCCL_SUCCESS; HCCL_E_PARA: bytes that are no root info, or a rank or
/// number of ranks that disagrees with the others; HCCL_E_NOT_FOUND: of another process; HCCL_E_TIMEOUT.
HcclResult JoinRoot(const HcclRootInfo& root, uint32_t ranks, uint32_t rank, Deadline deadline,
                    std::unique_ptr<Transport>* transport);

}  // namespace portacl::hccl
