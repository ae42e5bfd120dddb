// SPDX-License-Identifier: Apache-2.0
// The server where ranks of several processes meet: a listener in the process of the root, for all of its root infos.
// It knows which ranks have come, stores the addresses that ranks set for each other, and tells all ranks when one
// leaves, ends or fails. Only a key in a root info gives access.
#pragma once

#include <cstdint>
#include <string>

#include "hccl/hccl_types.h"

namespace portacl::hccl {

struct RootAddress {
  std::string address;
  uint16_t port = 0;
};

/// Opens the listener, or returns the one that is open. Results: HCCL_SUCCESS; HCCL_E_NETWORK or HCCL_E_NOT_SUPPORT,
/// with the reason.
HcclResult OpenRootServer(RootAddress* at, std::string* why);

}  // namespace portacl::hccl
