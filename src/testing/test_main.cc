// SPDX-License-Identifier: Apache-2.0
// main() of the unit tests: chooses their device, makes it current for the main thread, and prints how to repeat a
// failure.
#include <gtest/gtest.h>

#include <cstdlib>

#include "acl/acl.h"
#include "runtime/memory/pool.h"
#include "testing/reproduce.h"
#include "testing/test_device.h"

namespace {

class CurrentDevice : public ::testing::Environment {
 public:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }
  void TearDown() override { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }
};

// With each call, the fake device changes the protection of all memory in the pool; memory left by one test would slow
// down the others.
class TrimmedPool : public ::testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const ::testing::TestInfo&) override { portacl::memory::DevicePool(0).Trim(); }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // So that calls of a size that oracles can handle use non-temporal stores.
  setenv("PORTACL_NON_TEMPORAL_BYTES", "1000000", 0);
  if (!portacl::testing::InstallTestDevice()) return 2;
  portacl::testing::InstallReproducePrinter();
  ::testing::AddGlobalTestEnvironment(new CurrentDevice);  // GoogleTest owns it
  if (portacl::testing::DeviceMemoryIsForbidden())
    ::testing::UnitTest::GetInstance()->listeners().Append(new TrimmedPool);
  return RUN_ALL_TESTS();
}
