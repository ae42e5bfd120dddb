// SPDX-License-Identifier: Apache-2.0
// Which device the unit tests run on: PORTACL_TEST_DEVICE=fake puts the device whose memory is forbidden outside
// kernels and copies in place of device 0; unset or "cpu" leaves the CPU.
#pragma once

namespace portacl::testing {

// False, with a line on stderr, for an unknown value. Called once, before the first test.
bool InstallTestDevice();

// True when host code must not touch device memory.
bool DeviceMemoryIsForbidden();

}  // namespace portacl::testing
