// SPDX-License-Identifier: Apache-2.0
// Which device the unit tests run on: PORTACL_TEST_DEVICE=fake replaces device 0 by the fake device, whose memory is
// inaccessible outside kernels and copies; unset or "cpu" keeps the CPU.
#pragma once

namespace portacl::testing {

// False, with a line on stderr, for an unknown value. Called once, before the first test.
bool InstallTestDevice();

// True if host code must not access device memory.
bool DeviceMemoryIsForbidden();

}  // namespace portacl::testing
