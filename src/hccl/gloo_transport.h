// SPDX-License-Identifier: Apache-2.0
// The transport between ranks of several processes: messages over Gloo.
#pragma once

#include <memory>

#include "hccl/gloo_link.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// Takes over the mesh, which connects all ranks.
std::unique_ptr<Transport> MakeGlooTransport(std::shared_ptr<GlooLink> link, void* mesh);

}  // namespace portacl::hccl
