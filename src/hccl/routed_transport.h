// SPDX-License-Identifier: Apache-2.0
// Ranks of several hosts, some of which share one: messages by memory within the host, by Gloo to others.
#pragma once

#include <memory>
#include <vector>

#include "hccl/transport.h"

namespace portacl::hccl {

/// `is_near`, by rank: who is reached by `near`.
std::unique_ptr<Transport> MakeRoutedTransport(std::vector<char> is_near, std::unique_ptr<Transport> near,
                                               std::unique_ptr<Transport> far);

}  // namespace portacl::hccl
