// SPDX-License-Identifier: Apache-2.0
// The end of a context's work.
#pragma once

#include "runtime/handle_table.h"

namespace portacl::contexts {

// Waits until the streams of a dying context have finished. Where they stand still together, lets go of notifies,
// values and callbacks, which nobody of the context will bring any more, and of records in a circle of streams.
void SettleStreams(HandleBits context) noexcept;

}  // namespace portacl::contexts
