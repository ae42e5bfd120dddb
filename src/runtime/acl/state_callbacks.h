// SPDX-License-Identifier: Apache-2.0
// Named functions of the client that are told when streams and devices come and go.
#pragma once

#include "acl/acl.h"

namespace portacl {

void NotifyStreamState(aclrtStream stream, aclrtStreamState state) noexcept;
void NotifyDeviceState(int32_t device, aclrtDeviceState state) noexcept;

}  // namespace portacl
