// SPDX-License-Identifier: Apache-2.0
// The limit that clients set for waits of streams.
#pragma once

#include <cstdint>

namespace portacl {

// Of event waits that are queued from now on; 0: none.
uint32_t EventWaitLimitSeconds() noexcept;

}  // namespace portacl
