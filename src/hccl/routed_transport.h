// SPDX-License-Identifier: Apache-2.0
// The transport between ranks of several hosts, some of which share a host: through memory within the host, over Gloo
// to other hosts.
#pragma once

#include <memory>
#include <vector>

#include "hccl/transport.h"

namespace portacl::hccl {

/// `is_near`, by rank: whether `near` reaches the rank.
std::unique_ptr<Transport> MakeRoutedTransport(std::vector<char> is_near, std::unique_ptr<Transport> near,
                                               std::unique_ptr<Transport> far);

}  // namespace portacl::hccl
