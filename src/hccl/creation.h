// SPDX-License-Identifier: Apache-2.0
// Settings that all functions which create a communicator read.
#pragma once

#include "hccl/hccl_types.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// Reads the settings. Members that the client's header lacks keep the values of a new configuration; all of them do if
/// `given` is NULL. Returns HCCL_E_PARA, with a report, when the configuration was not initialised by
/// HcclCommConfigInit.
HcclResult ReadConfig(const char* function, const HcclCommConfig* given, HcclCommConfig* config);
/// The time HCCL_CONNECT_TIMEOUT from now.
Deadline ConnectLimit();

}  // namespace portacl::hccl
