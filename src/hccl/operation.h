// SPDX-License-Identifier: Apache-2.0
// Submission of calls to streams.
#pragma once

#include <memory>

#include "acl/acl.h"
#include "hccl/collectives.h"

namespace portacl::hccl {

/// Queues the call, and assigns its numbers. Returns HCCL_SUCCESS, HCCL_E_REMOTE, HCCL_E_RUNTIME or HCCL_E_OOM, with a
/// report. Inside a group, a call of messages is queued at the end of the group.
HcclResult Queue(const char* function, const std::shared_ptr<Communicator>& communicator, Call call,
                 aclrtStream stream);

/// Groups of the calling thread. EndGroup() returns HCCL_E_PARA when no group has begun; otherwise the first failure of
/// queueing.
void BeginGroup() noexcept;
HcclResult EndGroup(const char* function);
bool InGroup() noexcept;

}  // namespace portacl::hccl
