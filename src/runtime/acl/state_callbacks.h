// SPDX-License-Identifier: Apache-2.0
// Named functions of the client that are called when streams and devices are created and destroyed.
#pragma once

#include "acl/acl.h"

namespace portacl {

void NotifyStreamState(aclrtStream stream, aclrtStreamState state) noexcept;
void NotifyDeviceState(int32_t device, aclrtDeviceState state) noexcept;

}  // namespace portacl
