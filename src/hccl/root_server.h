// SPDX-License-Identifier: Apache-2.0
// Where ranks of several processes meet: a listener in the process of the root, for all of its root infos. It knows who
// has come, keeps the addresses that ranks leave for each other, and tells all when one leaves, ends or fails. The key
// in a root info opens it, nothing else.
#pragma once

#include <cstdint>
#include <string>

#include "hccl/hccl_types.h"

namespace portacl::hccl {

struct RootAddress {
  std::string address;
  uint16_t port = 0;
};

/// Opens the listener, or gives the one that is open. HCCL_SUCCESS; HCCL_E_NETWORK or HCCL_E_NOT_SUPPORT, and why.
HcclResult OpenRootServer(RootAddress* at, std::string* why);

}  // namespace portacl::hccl
