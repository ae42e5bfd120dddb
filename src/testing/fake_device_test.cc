// SPDX-License-Identifier: Apache-2.0
// Tests the fake device itself: a forbidden access must be caught, and allowed ones must pass.
#include "testing/fake_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "runtime/contexts/submit.h"

namespace portacl::testing {
namespace {

class FakeDeviceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    InstallFakeDevice();
  }
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&memory_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }

  static constexpr size_t kBytes = 100'000;
  void* memory_ = nullptr;
};

using FakeDeviceDeathTest = FakeDeviceTest;

TEST_F(FakeDeviceDeathTest, FaultsWhenTheClientReadsDeviceMemory) {
  EXPECT_DEATH({ std::printf("%d", *static_cast<volatile int*>(memory_)); }, "");
}

TEST_F(FakeDeviceDeathTest, FaultsWhenTheClientWritesAfterAKernelHasRun) {
  ASSERT_EQ(aclrtMemset(memory_, kBytes, 1, kBytes), ACL_SUCCESS);
  EXPECT_DEATH({ *static_cast<volatile int*>(memory_) = 1; }, "");
}

TEST_F(FakeDeviceTest, CopiesAndFillsReachItsMemory) {
  ASSERT_EQ(aclrtMemset(memory_, kBytes, 0x5A, kBytes), ACL_SUCCESS);
  std::vector<unsigned char> host(kBytes);
  ASSERT_EQ(aclrtMemcpy(host.data(), kBytes, memory_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(host, std::vector<unsigned char>(kBytes, 0x5A));
}

class Increment final : public Task {
 public:
  explicit Increment(void* place) : place_(place) {}
  int32_t Run() noexcept override {
    ++*static_cast<int*>(place_);
    return 0;
  }
  void Finish() noexcept override {}

 private:
  void* place_;
};

TEST_F(FakeDeviceTest, KernelsOfTwoThreadsAtATimeReachItsMemory) {
  ASSERT_EQ(aclrtMemset(memory_, kBytes, 0, kBytes), ACL_SUCCESS);
  constexpr int kRounds = 200;
  const auto count = [this](size_t place) {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    Increment task(static_cast<char*>(memory_) + place);
    for (int round = 0; round < kRounds; ++round) ASSERT_EQ(contexts::Submit(stream, &task, 0), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  };
  std::thread other(count, size_t{4096});
  count(0);
  other.join();
  for (const size_t place : {size_t{0}, size_t{4096}}) {
    int value = 0;
    ASSERT_EQ(aclrtMemcpy(&value, 4, static_cast<char*>(memory_) + place, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    EXPECT_EQ(value, kRounds);
  }
}

}  // namespace
}  // namespace portacl::testing
