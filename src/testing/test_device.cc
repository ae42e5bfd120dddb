// SPDX-License-Identifier: Apache-2.0
// The device of the unit tests, see test_device.h.
#include "testing/test_device.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "testing/fake_device.h"

namespace portacl::testing {
namespace {

std::string_view Wanted() {
  const char* text = std::getenv("PORTACL_TEST_DEVICE");
  return text == nullptr ? "cpu" : text;
}

}  // namespace

bool InstallTestDevice() {
  if (Wanted() == "fake") {
    InstallFakeDevice();
  } else if (Wanted() != "cpu") {
    std::fprintf(stderr, "PORTACL_TEST_DEVICE: expected cpu or fake\n");
    return false;
  }
  return true;
}

bool DeviceMemoryIsForbidden() { return Wanted() == "fake"; }

}  // namespace portacl::testing
