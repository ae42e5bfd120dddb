// SPDX-License-Identifier: Apache-2.0
// Tells a communicator between hosts which of its connections have ended. Nobody reads them while a long message is
// under way, and Gloo leaves whoever receives one that breaks off asleep.
#pragma once

#include <memory>
#include <vector>

#include "hccl/gloo_link.h"

namespace portacl::hccl {

/// `sockets`: by rank, -1 for this one; they stay those of the link. Null: the system refused a descriptor.
std::shared_ptr<Watched> WatchEnds(const std::vector<int>& sockets, const std::shared_ptr<GlooLink>& link);

}  // namespace portacl::hccl
