// SPDX-License-Identifier: Apache-2.0
// Calls on their way to streams.
#pragma once

#include <memory>

#include "acl/acl.h"
#include "hccl/collectives.h"

namespace portacl::hccl {

/// Queues the call; it gets its numbers here. HCCL_SUCCESS, HCCL_E_REMOTE, HCCL_E_RUNTIME or HCCL_E_OOM, with a report. In
/// a group a call of messages waits for its end.
HcclResult Queue(const char* function, const std::shared_ptr<Communicator>& communicator, Call call,
                 aclrtStream stream);

/// Groups of the calling thread. EndGroup: HCCL_E_PARA where none has begun, or what queueing returned first.
void BeginGroup() noexcept;
HcclResult EndGroup(const char* function);
bool InGroup() noexcept;

}  // namespace portacl::hccl
