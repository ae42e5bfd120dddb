// SPDX-License-Identifier: Apache-2.0
// What follows when a task failed: callbacks are told, and a context may stop. Defined above the streams, in
// acl/aclrt_exception.cc.
#pragma once

#include <cstdint>

namespace portacl::streams {

class Stream;

// Called by the thread that ran the task, without locks.
void FollowFailure(const Stream& stream, uint32_t task, int32_t status) noexcept;

}  // namespace portacl::streams
