// SPDX-License-Identifier: Apache-2.0
// main() of the unit tests: chooses the device they run on, makes it current for the main thread, and prints how to
// repeat a failure.
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

// The fake device opens and closes all memory that the pool keeps with each call; what one test used would slow the
// others down.
class TrimmedPool : public ::testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const ::testing::TestInfo&) override { portacl::memory::DevicePool(0).Trim(); }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // So that calls of a size that oracles can follow have non-temporal stores.
  setenv("PORTACL_NON_TEMPORAL_BYTES", "1000000", 0);
  if (!portacl::testing::InstallTestDevice()) return 2;
  portacl::testing::InstallReproducePrinter();
  ::testing::AddGlobalTestEnvironment(new CurrentDevice);  // GoogleTest owns it
  if (portacl::testing::DeviceMemoryIsForbidden())
    ::testing::UnitTest::GetInstance()->listeners().Append(new TrimmedPool);
  return RUN_ALL_TESTS();
}
