// SPDX-License-Identifier: Apache-2.0
// Tells a communicator between hosts which of its connections have ended. No thread reads them during a long message,
// and Gloo does not wake the receiver of a message that breaks off.
#pragma once

#include <memory>
#include <vector>

#include "hccl/gloo_link.h"

namespace portacl::hccl {

/// `sockets`: by rank, -1 for this one; the link still owns them. Returns null when the system refused a descriptor.
std::shared_ptr<Watched> WatchEnds(const std::vector<int>& sockets, const std::shared_ptr<GlooLink>& link);

}  // namespace portacl::hccl
