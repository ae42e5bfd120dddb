// SPDX-License-Identifier: Apache-2.0
// Functions of features that ranks on a CPU do not have. They refuse, so that a client which probes for the feature
// falls back to another method.
//
// As in runtime/acl/absent_features.cc the definitions read no argument, and this file includes none of the headers
// that declare them.
#include <cstdint>

#include "base/status.h"

#define REFUSE(name)                                                                 \
  extern "C" __attribute__((visibility("default"))) int32_t name() {                 \
    constexpr int32_t kNotSupported = 5;                                             \
    return portacl::Failf(kNotSupported, "{}: not supported by this device", #name); \
  }

REFUSE(HcclCommInitClusterInfo)
REFUSE(HcclCommInitClusterInfoConfig)
REFUSE(HcclCommSuspend)
REFUSE(HcclCommResume)
REFUSE(HcclCommWorkingDevNicSet)
REFUSE(HcclCommRegister)
REFUSE(HcclCommDeregister)
REFUSE(HcclCommExchangeMem)
REFUSE(HcclCommSetMemoryRange)
REFUSE(HcclCommUnsetMemoryRange)
REFUSE(HcclCommActivateCommMemory)
REFUSE(HcclCommDeactivateCommMemory)
REFUSE(HcclCommSymWinRegister)
REFUSE(HcclCommSymWinDeregister)
REFUSE(HcclCommSymWinGet)
REFUSE(HcclSymWinGetPeerPointer)
REFUSE(HcclCommRegCommStateCallback)
