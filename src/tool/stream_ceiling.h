// SPDX-License-Identifier: Apache-2.0
// The speed of a plain copy on this machine, as a reference for the speed of operators.
#pragma once

#include <cstddef>

namespace portacl::tool {

// Bytes per second (read and written) of a copy with all threads of the device, whose source and destination hold
// `bytes` together; the better of ordinary stores and non-temporal stores. Takes about `seconds`.
double StreamCeiling(size_t bytes, double seconds);

}  // namespace portacl::tool
