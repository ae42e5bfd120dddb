// SPDX-License-Identifier: Apache-2.0
// Settings that all functions which make a communicator read.
#pragma once

#include "hccl/hccl_types.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// The members that the client's header has, over those of a new configuration; NULL has none. HCCL_E_PARA, with a
/// report: they are not of HcclCommConfigInit.
HcclResult ReadConfig(const char* function, const HcclCommConfig* given, HcclCommConfig* config);
/// HCCL_CONNECT_TIMEOUT from now.
Deadline ConnectLimit();

}  // namespace portacl::hccl
